// Light, dark, or as the system says. The choice is kept on the device, and applied before the page is drawn.

const stored = "sightline-theme";

/** The choices, in the order of the shortcut. */
export const themes = ["system", "light", "dark"];

export const theme = () => (themes.includes(localStorage.getItem(stored)) ? localStorage.getItem(stored) : themes[0]);

export function useTheme(name) {
  if (name === themes[0]) localStorage.removeItem(stored);
  else localStorage.setItem(stored, name);
  apply();
}

function apply() {
  document.documentElement.dataset.theme = theme();
}

apply();
addEventListener("storage", apply); // another tab changed it
