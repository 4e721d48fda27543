// Rows as files.

/** Returns rows as CSV. Texts that a spreadsheet would compute get an apostrophe in front, but negative numbers do not. */
export function csvOf(rows) {
  const columns = Object.keys(rows[0] ?? {});
  const cell = (value) => {
    if (value == null) return "";
    const text = typeof value === "string" ? value.replace(/^(?!-\d+(\.\d+)?(e[+-]?\d+)?$)[=+\-@＝＋－＠\t\r\n]/i, "'$&") : typeof value === "object" ? JSON.stringify(value) : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Saves a text as a file of the reader. */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
