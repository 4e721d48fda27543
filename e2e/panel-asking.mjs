// Goals, funnels, retention and paths of the panel: see panel-page.mjs.
import assert from "node:assert/strict";
import { accessible, address, everywhere, number, open, picture, run, service, settled } from "./panel-page.mjs";
import { query } from "./service.mjs";

// Weeks and months that are over: the demo goes on while the test runs.
const dates = { timezone: "Europe/Berlin", preset: "last_week", weekStart: "monday", granularity: "daily" };
const ask = async (parameter, body) => (await query(service, { ...dates, ...body, parameters: [{ compare: "previous_period", ...parameter }] }))[0];
const dialog = (tab) => tab.locator("dialog");
const field = (tab, name, i = 0) => dialog(tab).locator(`[name=${name}]`).nth(i);
const press = (tab, name) => dialog(tab).getByRole("button", { name, exact: true }).click();
const rows = (tab) => tab.locator("#answers tbody tr");
const cells = (tab, i) => rows(tab).nth(i).locator("td").evaluateAll((all) => all.map((cell) => cell.firstChild?.textContent));
const percent = (n) => (n / 100).toLocaleString("en-GB", { style: "percent", maximumFractionDigits: 1 });
const whole = (n) => n.toLocaleString("en-GB");
const filter = (...parts) => ({ filter: JSON.stringify(parts) });

/** Calls the definitions of the website. */
async function definitions(method, { body, search = "", key = service.key } = {}) {
  const response = await fetch(`${service.address}/v1/websites/${service.websiteId}/definitions${search}`, {
    method, headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body),
  });
  return response.json();
}
const saved = async () => (await definitions("GET")).definitions.map(({ kind, name, body }) => ({ kind, name, body }));

async function clear() {
  for (const { kind, name } of await saved()) await definitions("DELETE", { search: `?${new URLSearchParams({ kind, name })}` });
}

async function shown(tab) {
  await dialog(tab).locator("form").waitFor();
  await tab.waitForFunction(() => document.querySelectorAll("#known-event option").length > 0);
}

async function closed(tab) {
  await dialog(tab).waitFor({ state: "hidden" });
  await settled(tab);
}

/** Returns the texts of the mistake beside a field. */
async function mistake(tab, name, i = 0) {
  const control = field(tab, name, i);
  await tab.waitForFunction((one) => one.getAttribute("aria-invalid") === "true", await control.elementHandle());
  return control.evaluate((one) => document.getElementById(one.getAttribute("aria-describedby").split(" ")[0]).textContent);
}

/** Compares the table of goals with answers of the API. */
async function sameGoals(tab, goals, body) {
  const { data, previous } = await ask({ name: "goals", goals }, body);
  for (const [i, row] of data.entries()) {
    const told = await cells(tab, i);
    assert.equal(told[0], row.name);
    assert.deepEqual(told.slice(1, 4), [whole(row.visitors), whole(row.conversions), percent(row.conversion_rate)]);
    if (row.value != null) assert.equal(told[4], row.value.toLocaleString("en-GB", { maximumFractionDigits: 2 }));
    const by = row.conversions / previous[i].conversions - 1;
    if (previous[i].conversions >= 5) assert.ok((await rows(tab).nth(i).locator("td").nth(2).locator(".change").textContent()).startsWith(by.toLocaleString("en-GB", { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" })));
  }
  assert.equal(await rows(tab).count(), data.length);
}

await run({
  async "a goal is made, changed and removed"() {
    await clear();
    const tab = await open({ preset: "last_week", section: "goals" });
    await settled(tab);
    await tab.getByText("There are no goals yet.").waitFor();
    await everywhere(tab, "no goals");
    await tab.getByRole("button", { name: "New goal" }).first().click();
    await shown(tab);
    assert.equal((await address(tab)).get("edit"), "goal:");
    const known = (name) => tab.locator(`#known-${name} option`).evaluateAll((all) => all.map(({ value }) => value));
    assert.ok((await known("event")).includes("order_paid") && (await known("page")).includes("/pricing") && (await known("property")).includes("total"), "names are not suggested");
    assert.equal(await field(tab, "text").getAttribute("list"), "known-event");
    await everywhere(tab, "the dialog of a new goal");
    await tab.goBack();
    await closed(tab);
    await tab.goForward();
    await shown(tab);
    await press(tab, "Save");
    assert.ok(await field(tab, "name").evaluate((one) => one.matches(":invalid")) && (await dialog(tab).isVisible()), "a goal without a name is saved");

    await field(tab, "name").fill("Paid");
    await field(tab, "op").selectOption("matches");
    await field(tab, "text").fill("order_(");
    await press(tab, "Save");
    assert.match(await mistake(tab, "text"), /^Pattern \(RE2\) is not a regular expression: missing closing \)/);
    await everywhere(tab, "a mistake");
    await field(tab, "op").selectOption("eq");
    await field(tab, "text").fill("order_paid");
    await press(tab, "+ Only if …");
    await field(tab, "key").fill("total");
    await dialog(tab).locator(".condition [name=op]").selectOption("gte");
    await dialog(tab).locator(".condition [name=value]").fill("5");
    await field(tab, "property").fill("total");
    await tab.route(/definitions$/, (route) => route.fulfill({ status: 500, json: { success: false, error: "no", code: "NO" } }));
    await press(tab, "Save");
    await dialog(tab).getByText("Nothing was changed.").waitFor();
    await tab.unroute(/definitions$/);
    await press(tab, "Save");
    await closed(tab);
    const goal = { name: "Paid", event: "order_paid", filters: [{ field: "property:total", op: "gte", value: "5" }], value: "total" };
    const { name, ...body } = goal;
    assert.deepEqual(await saved(), [{ kind: "goal", name, body }]);
    await sameGoals(tab, [goal]);
    assert.equal(await tab.evaluate(() => document.activeElement.textContent), "Paid", "the focus is lost after saving");
    await tab.reload();
    await settled(tab);
    await sameGoals(tab, [goal]);
    await everywhere(tab, "goals");

    // Its trend.
    const { data, previous } = await ask({ name: "goals_trends", goals: [goal] });
    await tab.getByRole("button", { name: "Sum of total" }).click();
    await settled(tab);
    await tab.getByRole("slider").focus();
    await tab.keyboard.press("Home");
    const told = (row) => row.value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
    assert.match(await tab.getByRole("slider").getAttribute("aria-valuetext"), new RegExp(`: ${told(data[0])} Paid: Sum of total\\..*: ${told(previous[0])}(\\. Change: |$)`));

    // It is changed, also its name.
    await tab.getByRole("button", { name: "Edit the goal Paid" }).click();
    await shown(tab);
    assert.deepEqual([await field(tab, "key").inputValue(), await dialog(tab).locator(".condition [name=op]").inputValue()], ["total", "gte"]);
    await dialog(tab).getByRole("button", { name: "Remove this condition" }).click();
    await field(tab, "name").fill("Orders <b>🦊</b>");
    await field(tab, "op").selectOption("starts_with");
    await field(tab, "text").fill("order");
    await press(tab, "Save");
    await closed(tab);
    const orders = { name: "Orders <b>🦊</b>", event: { op: "starts_with", value: "order" }, value: "total" };
    assert.deepEqual((await saved()).map((one) => one.name), [orders.name]);
    await sameGoals(tab, [orders]);

    // Filters of the view hold; one by page means visits.
    const filtered = await open({ preset: "last_week", section: "goals", ...filter("path", "is", "/pricing") });
    await settled(filtered);
    await filtered.getByText("visits in which the page was seen").waitFor();
    await sameGoals(filtered, [orders], { filters: [{ did: { page: "/pricing" } }] });

    await tab.getByRole("button", { name: /^Edit the goal/ }).click();
    await shown(tab);
    await press(tab, "Remove");
    await tab.getByText("Press Remove again").waitFor();
    assert.equal((await saved()).length, 1, "one click removes a goal of everybody");
    await press(tab, "Remove");
    await closed(tab);
    await tab.getByText("There are no goals yet.").waitFor();
    assert.deepEqual(await saved(), []);
  },

  async "a goal can be tried without saving"() {
    await clear();
    await definitions("POST", { body: { kind: "goal", name: "Pricing", body: { page: "/pricing" } } });
    const response = await fetch(`${service.address}/v1/keys`, { method: "POST", headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Reader", scopes: ["read:data"], resources: [{ kind: "website", id: service.websiteId }] }) });
    const { secret } = await response.json();
    assert.ok(secret, "no key without the scope");
    const tab = await open({ key: secret, preset: "last_week", section: "goals" });
    await settled(tab);
    await tab.getByRole("button", { name: "New goal" }).click();
    await shown(tab);
    await field(tab, "name").fill("Pricing");
    await field(tab, "kind").selectOption("page");
    assert.equal(await field(tab, "text").getAttribute("list"), "known-page");
    await field(tab, "text").fill("/docs");
    await field(tab, "op").selectOption("starts_with");
    await dialog(tab).getByText("lacks the scope manage:definitions").waitFor();
    await press(tab, "Try without saving");
    assert.equal(await mistake(tab, "name"), "Name is taken. Choose another one.");
    await field(tab, "name").fill("Docs");
    assert.equal(await dialog(tab).getByRole("button", { name: "Save" }).count(), 0);
    await everywhere(tab, "a key that may not save");
    await field(tab, "op").selectOption("matches");
    await field(tab, "text").fill("[");
    await press(tab, "Try without saving");
    assert.match(await mistake(tab, "text"), /is not a regular expression/);
    await field(tab, "op").selectOption("starts_with");
    await field(tab, "text").fill("/docs");
    await press(tab, "Try without saving");
    await closed(tab);
    const docs = { name: "Docs", page: { op: "starts_with", value: "/docs" } }, both = [{ name: "Pricing", page: "/pricing" }, docs];
    await sameGoals(tab, both);
    await tab.locator("#answers").getByText("lacks the scope manage:definitions").waitFor();
    assert.match(await rows(tab).nth(1).textContent(), /not saved/);
    await everywhere(tab, "a tried goal");
    await tab.reload();
    await settled(tab);
    await sameGoals(tab, both);
    assert.deepEqual((await saved()).map(({ name }) => name), ["Pricing"]);

    // With another key the same address can be saved.
    const hash = await address(tab);
    hash.set("key", service.key);
    const owner = await open(hash);
    await settled(owner);
    await owner.getByRole("button", { name: "Edit the goal Docs" }).click();
    await shown(owner);
    await press(owner, "Save");
    await closed(owner);
    assert.deepEqual((await saved()).map(({ name }) => name).sort(), ["Docs", "Pricing"]);
    assert.ok(!(await address(owner)).has("tried"));
    assert.doesNotMatch(await rows(owner).nth(1).textContent(), /not saved/);

    // A panel token says it at once, and a change of website forgets what was tried on the other one.
    const token = await fetch(`${service.address}/v1/tokens`, { method: "POST", headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }, body: JSON.stringify({ scopes: ["read:data"] }) });
    const guest = await open({ key: (await token.json()).token, section: "goals", preset: "last_week", tried: JSON.stringify([{ ...docs, name: "Tried" }]) });
    await settled(guest);
    await guest.getByText("lacks the scope manage:definitions").waitFor();
    await guest.locator("select[name=website]").selectOption(service.otherId);
    await settled(guest);
    await guest.getByText("There are no goals yet.").waitFor();
  },

  async "a funnel is made, changed and removed"() {
    await clear();
    const tab = await open({ preset: "last_week", section: "funnels" });
    await settled(tab);
    await tab.getByText("There are no funnels yet.").waitFor();
    await everywhere(tab, "no funnels");
    await tab.getByRole("button", { name: "New funnel" }).first().click();
    await shown(tab);
    await field(tab, "name").fill("Sign-up");
    await field(tab, "text", 0).fill("/");
    await field(tab, "text", 1).fill("/signup");
    await press(tab, "+ Add step");
    await field(tab, "kind", 2).selectOption("event");
    await field(tab, "text", 2).fill("signup_started");
    await field(tab, "stepname", 2).fill("Started");
    await press(tab, "+ Add step");
    await field(tab, "text", 3).fill("/pricing");
    await dialog(tab).getByRole("button", { name: "Move step 4 up" }).click();
    await dialog(tab).getByRole("button", { name: "Move step 3 up" }).click();
    await field(tab, "window").fill("91");
    await everywhere(tab, "the dialog of a funnel");
    await press(tab, "Save");
    assert.match(await mistake(tab, "window"), /must be a whole number of m, h or d from 1m to 90d/);
    await field(tab, "window").fill("7");
    await field(tab, "op", 1).selectOption("matches");
    await field(tab, "text", 1).fill("(");
    await press(tab, "Save");
    assert.match(await mistake(tab, "text", 1), /is not a regular expression/);
    await field(tab, "op", 1).selectOption("eq");
    await field(tab, "text", 1).fill("/pricing");
    await press(tab, "Save");
    await closed(tab);
    const steps = [{ page: "/" }, { page: "/pricing" }, { page: "/signup" }, { event: "signup_started", name: "Started" }];
    assert.deepEqual(await saved(), [{ kind: "funnel", name: "Sign-up", body: { steps, window: "7d" } }]);

    const same = async (funnel, column, body) => {
      const { data } = await ask({ name: "funnel", ...funnel }, body), drawn = tab.locator(".funnel li");
      assert.equal(await drawn.count(), data.length);
      for (const [i, row] of data.entries()) {
        assert.equal(await drawn.nth(i).locator(".name").textContent(), row.name);
        assert.equal(number(await drawn.nth(i).locator("strong").textContent()), row[column]);
        const text = await drawn.nth(i).textContent();
        if (i > 0) assert.ok(text.includes(`${whole(row.dropoff)} left`) && text.includes(`${percent(row.conversion_rate)} of the first step`) && text.includes(`${percent(row.step_rate)} of the step before`), `step ${i + 1}: ${text}`);
      }
    };
    await same({ steps, window: "7d" }, "visitors");
    await tab.reload();
    await settled(tab);
    await same({ steps, window: "7d" }, "visitors");
    await tab.getByLabel("Break down by").selectOption("country");
    await settled(tab);
    const groups = await ask({ name: "funnel", steps, window: "7d", groupBy: ["country"], limit: 10 });
    const first = groups.data.slice(0, 4);
    assert.deepEqual((await cells(tab, 0)).slice(1), [percent(first[3].conversion_rate), ...first.map(({ visitors }) => whole(visitors))]);
    await everywhere(tab, "a funnel by country");

    await tab.getByRole("button", { name: "Edit the funnel Sign-up" }).click();
    await shown(tab);
    await field(tab, "within").selectOption("session");
    await dialog(tab).getByRole("button", { name: "Remove step 2" }).click();
    await press(tab, "Save");
    await closed(tab);
    const less = { steps: steps.filter((_, i) => i !== 1), window: "7d", within: "session" };
    assert.deepEqual((await saved())[0].body, less);
    await same(less, "sessions");
    await tab.getByRole("button", { name: "Edit the funnel Sign-up" }).click();
    await shown(tab);
    await field(tab, "text", 0).fill("/docs");
    await press(tab, "Try without saving");
    await closed(tab);
    await same({ ...less, steps: [{ page: "/docs" }, ...less.steps.slice(1)] }, "sessions");
    await tab.getByText("changed, not saved").waitFor();
    await tab.getByRole("button", { name: "Edit the funnel Sign-up" }).click();
    await shown(tab);
    await press(tab, "Discard the change");
    await closed(tab);
    await same(less, "sessions");
    await tab.getByRole("button", { name: "Edit the funnel Sign-up" }).click();
    await shown(tab);
    await press(tab, "Remove");
    await press(tab, "Remove");
    await closed(tab);
    await tab.getByText("There are no funnels yet.").waitFor();
    assert.deepEqual(await saved(), []);
  },

  async "retention is a grid of cohorts"() {
    const tab = await open({ preset: "last_month", section: "retention" });
    await settled(tab);
    const same = async (parameter) => {
      const { data } = await ask({ name: "retention", granularity: "weekly", ...parameter }, { preset: "last_month" });
      const cohorts = [...new Set(data.map(({ date }) => date))].map((date) => data.filter((row) => row.date === date));
      assert.equal(await rows(tab).count(), cohorts.length);
      for (const [i, cohort] of cohorts.entries()) {
        const told = (await cells(tab, i)).filter(Boolean);
        assert.deepEqual(told, [whole(cohort[0].cohort_size), ...cohort.map((row) => percent(row.percentage))]);
      }
      return cohorts.length;
    };
    const count = await same({});
    assert.equal(await tab.locator("#answers td.open").count(), count, "the last week of each cohort, which goes on after the range, is not marked");
    assert.deepEqual(await tab.locator("#answers :is(thead th, tbody th)").evaluateAll((heads) => [...new Set(heads.map((head) => head.scope))]), ["col", "row"]);
    await tab.getByRole("button", { name: "Edit who is new, and who came again" }).click();
    await shown(tab);
    await field(tab, "kind", 0).selectOption("page");
    await field(tab, "text", 0).fill("(");
    await field(tab, "op", 0).selectOption("matches");
    await press(tab, "Apply");
    assert.match(await mistake(tab, "text", 0), /is not a regular expression/);
    await everywhere(tab, "the dialog of retention");
    await field(tab, "text", 0).fill("^/(docs|pricing)");
    await press(tab, "Apply");
    await closed(tab);
    await tab.reload();
    await settled(tab);
    await same({ start: { page: { op: "matches", value: "^/(docs|pricing)" } } });
    await tab.getByRole("button", { name: "Months" }).click();
    await settled(tab);
    assert.equal((await address(tab)).get("interval"), "monthly");
    await tab.locator("#answers th").filter({ hasText: "Month 0" }).waitFor();
  },

  async "paths go on by clicks"() {
    const tab = await open({ preset: "last_week", section: "paths" });
    await settled(tab);
    const { data } = await ask({ name: "paths", limit: 50 }), named = (path, empty) => path || empty;
    for (const [i, row] of data.slice(0, 10).entries()) {
      assert.deepEqual((await cells(tab, i)).slice(0, 5), [named(row.from_path, "Came to the website"), named(row.to_path, "Left the website"), whole(row.transitions), whole(row.visitors), percent(row.percentage)]);
    }
    await tab.getByLabel("Start at a page").fill("/pricing");
    await tab.getByRole("button", { name: "Show" }).click();
    await settled(tab);
    assert.equal((await address(tab)).get("at"), "/pricing");
    const after = await ask({ name: "paths", from: "/pricing", limit: 50 }), next = after.data.find((row) => row.to_path);
    const list = tab.getByRole("region", { name: "After /pricing" });
    assert.deepEqual(await list.locator("tbody tr").evaluateAll((all) => all.map((row) => row.cells[1].textContent)), after.data.map((row) => whole(row.transitions)));
    const before = await ask({ name: "paths", to: "/pricing", limit: 50 }), sum = before.data.reduce((all, row) => all + row.transitions, 0);
    assert.equal(await tab.getByRole("region", { name: "Before /pricing" }).locator("tbody tr").first().locator("td").nth(3).textContent(), percent((100 * before.data[0].transitions) / sum));
    await list.getByRole("link", { name: `${next.to_path}: paths from here`, exact: true }).click();
    await settled(tab);
    assert.equal((await address(tab)).get("at"), next.to_path);
    assert.equal(await tab.evaluate(() => document.activeElement.textContent), `Paths through ${next.to_path}`, "the focus is lost after a click on a page");
    await tab.goBack();
    await settled(tab);
    assert.equal((await address(tab)).get("at"), "/pricing");
    await tab.getByRole("heading", { name: "Paths through /pricing" }).waitFor();
    await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId, preset: "last_week", section: "paths", at: "/nowhere" })}`);
    await tab.getByText("Nobody went this way in this range.").first().waitFor();
  },

  async "wrong addresses are told in words"() {
    await clear();
    await definitions("POST", { body: { kind: "goal", name: "Pricing", body: { page: "/pricing" } } });
    const cases = [
      [{ section: "goals", goal: "None", tried: "x", measure: "y" }, ["“None”", "“x”", "“y”"]],
      [{ section: "goals", tried: JSON.stringify([{ name: "Bad", page: { op: "matches", value: "(" } }]) }, ["The server cannot answer", "not a regular expression"]],
      [{ section: "funnels", funnel: "None", drafts: "{}" }, ["“None”", "“{}”"]],
      [{ section: "funnels", drafts: JSON.stringify([{ name: "Short", steps: [{ page: "/" }] }]), by: "moon" }, ["“moon”", "at least 2 steps"]],
      [{ section: "retention", start: "x", interval: "daily", preset: "last_365d" }, ["“x”", "“Days”"]],
    ];
    for (const [hash, texts] of cases) {
      const tab = await open({ preset: "last_week", ...hash });
      await settled(tab);
      const said = await tab.locator("main").textContent();
      for (const text of texts) assert.ok(said.includes(text), `${JSON.stringify(hash)} says nothing about ${text}: ${said}`);
      await everywhere(tab, JSON.stringify(hash));
      await tab.context().close();
    }
    const gone = await open({ preset: "last_week", section: "goals", edit: "goal:None" });
    await gone.getByText("There is no goal of this name.").waitFor();
    await everywhere(gone, "a goal that is gone");
    await gone.keyboard.press("Escape");
    await closed(gone);

    // A definition that this page cannot show is left as it is.
    await definitions("POST", { body: { kind: "goal", name: "Two pages", body: { page: { op: "in", value: ["/pricing", "/docs"] } } } });
    const other = await open({ preset: "last_week", section: "goals", edit: "goal:Two pages" });
    await other.getByText("This was made with the API").waitFor();
    await other.getByText("Page is one of /pricing, /docs").last().waitFor();
  },

  async "it is accessible in light and dark, wide and narrow"() {
    await clear();
    for (const [name, body] of Object.entries({ Signup: { event: "signup_completed" }, "A goal with a long name, as they are": { page: { op: "starts_with", value: "/docs" } }, Paid: { event: "order_paid", value: "total" } })) {
      await definitions("POST", { body: { kind: "goal", name, body } });
    }
    await definitions("POST", { body: { kind: "funnel", name: "Sign-up", body: { steps: [{ page: "/" }, { page: "/pricing" }, { page: "/signup" }, { event: "signup_started" }] } } });
    const views = { goals: {}, "goal-form": { section: "goals", edit: "goal:Paid" }, funnels: { by: "browser_name" }, "funnel-form": { section: "funnels", edit: "funnel:Sign-up" }, retention: { preset: "last_30d" }, "retention-form": { section: "retention", edit: "retention" }, paths: {}, "paths-page": { section: "paths", at: "/pricing" } };
    for (const width of [1440, 390]) {
      for (const colorScheme of ["light", "dark"]) {
        const tab = await open({ preset: "last_7d" }, { viewport: { width, height: 900 }, colorScheme });
        for (const [name, hash] of Object.entries(views)) {
          await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId, preset: "last_7d", section: name, ...hash })}`);
          await settled(tab);
          if (hash.edit) await shown(tab);
          await accessible(tab, `${name}, ${width} px, ${colorScheme}`);
          assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${width} px`);
          await picture(tab, `${name}-${width}-${colorScheme}`);
        }
        await tab.context().close();
      }
    }
    await clear();
  },
});
