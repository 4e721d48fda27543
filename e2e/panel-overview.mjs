// The overview of the panel: see panel-page.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { accessible, address, everywhere, night, number, open, picture, run, service, settled } from "./panel-page.mjs";
import { query } from "./service.mjs";

const tile = async (tab, title) => number(await tab.locator("#tiles .tile").filter({ hasText: title }).locator("strong").textContent());
const card = (tab, title) => tab.locator(".card").filter({ has: tab.locator(`h2:text-is("${title}")`) });
const totals = async (body) => (await query(service, { timezone: "Europe/Berlin", preset: "last_7d", parameters: ["summary_metrics"], ...body }))[0].data[0];

await run({
  async "the view is in the address"() {
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    assert.ok(!(await address(tab)).has("key"), "the key stays in the address");
    assert.equal(await tile(tab, "Pageviews"), (await totals()).pageviews);
    const first = card(tab, "Pages").locator("tbody a").first(), path = await first.textContent();
    await first.click();
    await settled(tab);
    const filtered = (await totals({ filters: [{ field: "path", op: "eq", value: path }] })).pageviews;
    assert.equal(await tile(tab, "Pageviews"), filtered);
    assert.match(await tab.evaluate(() => document.activeElement.textContent), /^Page is/, "the focus is lost after a click on a row");
    await tab.reload();
    await settled(tab);
    assert.equal(await tile(tab, "Pageviews"), filtered, "a reload loses the filter");
    await tab.goBack();
    await settled(tab);
    assert.equal(await tab.locator(".chip").count(), 0, "Back does not remove the filter");
    await tab.goForward();
    await settled(tab);
    await tab.locator("select[name=website]").selectOption(service.otherId);
    await tab.getByText("Waiting for the first event").waitFor();
    assert.equal(await tab.locator(".chip").count(), 0, "the filter of another website stays");
    await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.otherId, filter: JSON.stringify(["path", "is", "/none"]) })}`);
    await settled(tab);
    const nothing = card(tab, "No visits match.");
    await nothing.waitFor();
    assert.equal(await tab.locator("#cards").isVisible(), false, "empty lists are shown");
    await everywhere(tab, "nothing in the range");
    await nothing.getByRole("button", { name: "Remove “Page is /none”" }).click();
    await nothing.waitFor({ state: "detached" });
    assert.ok(!(await address(tab)).has("filter"));

    // One bar stays in sight, and a button leads past it.
    await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId, preset: "last_7d" })}`);
    await settled(tab);
    for (const width of [360, 1440]) {
      await tab.setViewportSize({ width, height: 800 });
      await tab.evaluate(() => scrollTo(0, 1500));
      await tab.waitForFunction(() => scrollY > 900);
      const top = await tab.locator("select[name=preset]").evaluate((one) => one.getBoundingClientRect().top), head = await tab.evaluate(() => document.querySelector("body > header").getBoundingClientRect().bottom);
      assert.ok(top >= 0 && top < 60, `the bar is at ${top} px after scrolling, at ${width} px`);
      assert.ok(head < 130, `the bar takes ${head} px at ${width} px`);
      await tab.evaluate(() => scrollTo(0, 0));
    }
    await tab.reload();
    await settled(tab);
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    assert.equal(await tab.evaluate(() => document.activeElement.id), "answers", "the first key does not lead to the numbers");

    const wrong = await open({ preset: "last_weeks", timezone: "Europe/Nowhere", interval: "often", website: "web_none", filter: "x" });
    await settled(wrong);
    const said = await wrong.locator("#notices").textContent();
    for (const value of ["last_weeks", "Europe/Nowhere", "often", "web_none"]) assert.ok(said.includes(`“${value}”`), `nothing is said about ${value}: ${said}`);
    const alias = await open({ timezone: "Asia/Kathmandu" });
    await settled(alias);
    assert.equal(await alias.locator("select[name=timezone]").inputValue(), "Asia/Kathmandu");
    assert.equal(await alias.locator("#notices li").count(), 0);
    const long = await open({ filter: JSON.stringify(["path", "is", `/${"x".repeat(1900)}`]) }, { viewport: { width: 390, height: 800 } });
    await settled(long);
    assert.ok(await long.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a long filter makes the page wider");
  },

  async "every list opens, searches, sorts and filters"() {
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    for (const name of await tab.locator("[role=tab]").evaluateAll((tabs) => tabs.map(({ id }) => id))) {
      await tab.locator(`#${name}`).click();
      await settled(tab);
      assert.equal(await tab.locator(`#${name}`).getAttribute("aria-selected"), "true");
    }
    assert.equal(await tab.locator(".failed").count(), 0, "a list failed");
    assert.match(await card(tab, "Quality").textContent(), /good|needs work|poor/);
    assert.equal((await address(tab)).getAll("tab").length, 6);
    await tab.getByRole("tab", { name: "Pages" }).click();
    await settled(tab);
    await tab.getByRole("button", { name: "See all: Pages" }).click();
    const rows = tab.locator("dialog tbody tr"), names = () => tab.locator("dialog td.name").allTextContents();
    await rows.first().waitFor();
    await accessible(tab, "a dialog");
    const [{ data: byViews }] = await query(service, { timezone: "Europe/Berlin", preset: "last_7d", limit: 100, parameters: [{ name: "pages", sortBy: "pageviews", sortOrder: "asc" }] });
    await tab.locator("dialog th button").filter({ hasText: "Views" }).click();
    await tab.locator("dialog th[aria-sort=descending]").filter({ hasText: "Views" }).waitFor();
    await tab.locator("dialog th button").filter({ hasText: "Views" }).click();
    await tab.locator("dialog th[aria-sort=ascending]").filter({ hasText: "Views" }).waitFor();
    assert.deepEqual(await names(), byViews.map(({ path }) => path));
    await tab.getByRole("searchbox").fill("doc");
    await tab.waitForFunction(() => [...document.querySelectorAll("dialog td.name")].every((cell) => cell.textContent.includes("doc")));
    assert.equal((await address(tab)).get("search"), "doc");
    await tab.reload();
    await rows.first().waitFor();
    assert.ok((await names()).every((name) => name.includes("doc")), "a reload loses the search");
    const [saved] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "CSV" }).click()]);
    const lines = readFileSync(await saved.path(), "utf8").trim().split("\r\n");
    assert.match(lines[0], /^path,name,pageviews/);
    assert.equal(lines.length, (await rows.count()) + 1);
    await tab.keyboard.press("Escape");
    await tab.locator("dialog").waitFor({ state: "hidden" });
    assert.ok(!(await address(tab)).has("list"));

    // Visits, and the events of one.
    await tab.getByRole("button", { name: "Single visits" }).click();
    const [{ data: [visit] }] = await query(service, { timezone: "Europe/Berlin", preset: "last_7d", limit: 1, parameters: ["session_list"] });
    await rows.first().getByRole("link").click();
    await tab.getByRole("heading", { name: "Events of a visit" }).waitFor();
    assert.equal((await address(tab)).get("of"), visit.session_id);
    await rows.filter({ hasText: "Viewed the page" }).first().waitFor();
    await accessible(tab, "the events of a visit");
    await tab.goBack();
    await tab.getByRole("heading", { name: "Visits" }).waitFor();
    await tab.keyboard.press("Escape");

    // A filter with several values, and its negation.
    await tab.getByRole("button", { name: "+ Add filter" }).click();
    await tab.locator("dialog select[name=field]").selectOption("country");
    await tab.locator("dialog textarea").fill("DE\nFR");
    await accessible(tab, "the dialog of a filter");
    await tab.getByRole("button", { name: "Apply" }).click();
    await settled(tab);
    assert.equal(await tile(tab, "Visitors"), (await totals({ filters: [{ field: "country", op: "in", value: ["DE", "FR"] }] })).visitors);
    await tab.getByRole("button", { name: /^Change the filter Country is Germany, France/ }).click();
    await tab.locator("dialog select[name=op]").selectOption("is_not");
    await tab.getByRole("button", { name: "Apply" }).click();
    await settled(tab);
    assert.equal(await tile(tab, "Visitors"), (await totals({ filters: [{ field: "country", op: "not_in", value: ["DE", "FR"] }] })).visitors);

    // The form suggests values, by their names. All filters go at once.
    await tab.getByRole("button", { name: "+ Add filter" }).click();
    const choices = tab.getByRole("group", { name: "Values to choose" });
    await choices.getByRole("button", { name: "/pricing", exact: true }).click();
    assert.equal(await tab.locator("dialog textarea").inputValue(), "/pricing");
    await tab.locator("dialog select[name=field]").selectOption("country");
    await tab.locator("dialog textarea").fill("germ");
    await choices.getByRole("button", { name: "United States" }).waitFor({ state: "detached" });
    await choices.getByRole("button", { name: "Germany" }).click();
    assert.equal(await tab.locator("dialog textarea").inputValue(), "Germany");
    await tab.getByRole("button", { name: "Apply" }).click();
    await settled(tab);
    assert.deepEqual((await address(tab)).getAll("filter").map(JSON.parse).at(-1), ["country", "is", "DE"]);
    await tab.goto(`${service.address}/#${new URLSearchParams([["website", service.websiteId], ["filter", '["country","is","DE"]'], ["filter", '["path","is","/"]']])}`);
    await settled(tab);
    await tab.getByRole("button", { name: "Remove all" }).click();
    await settled(tab);
    assert.ok(!(await address(tab)).has("filter"));
    assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), "add filter", "the focus is lost with the filters");
    await tab.goBack();
    await settled(tab);
    assert.equal((await address(tab)).getAll("filter").length, 2);
    await tab.keyboard.press("x");
    await settled(tab);
    assert.ok(!(await address(tab)).has("filter"));
  },

  async "by default whole days are compared with the same weekdays"() {
    const day = (n) => new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Berlin", dateStyle: "short" }).format(Date.now() - n * 86_400_000);
    const tab = await open({ preset: "last_7d" }), sent = [], shownOf = (text) => text.toLocaleString("en-GB");
    await settled(tab);
    tab.on("request", (one) => one.url().includes("/v1/query?") && sent.push(JSON.parse(one.postData())));
    await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId })}`);
    await settled(tab);
    const whole = { preset: undefined, startDate: day(28), endDate: day(1) };
    const compared = async (compare) => (await query(service, { timezone: "Europe/Berlin", ...whole, parameters: [{ name: "summary_metrics", compare }, { name: "pages", compare, sortBy: "visitors", sortOrder: "desc" }, { name: "summary", compare }] }));
    const [{ data: [now], previous: [before] }, { data: [page], previous: [pageBefore] }, { previous: days }] = await compared("previous_weeks");
    assert.equal(await tile(tab, "Visitors"), now.visitors);
    assert.deepEqual([sent[0].preset, sent[0].complete, sent[0].startDate], ["last_28d", true, undefined], "the page counts the days itself");
    assert.equal(await tab.locator("path.open").count(), 0, "the range has a day that is not over");
    // The other value stands in the tile, the list and the tip of the chart.
    assert.ok((await tab.locator("#tiles .tile").first().textContent()).includes(`from ${shownOf(before.visitors)}`));
    const cells = await card(tab, "Pages").locator("tbody tr").first().locator("td").allTextContents();
    assert.deepEqual(cells.slice(0, 3), [page.path, shownOf(page.visitors), shownOf(pageBefore.visitors)]);
    await tab.getByRole("slider").focus();
    await tab.keyboard.press("Home");
    assert.match(await tab.locator(".tip").textContent(), new RegExp(`: ${days[0].visitors}Change: `));

    // A period of the reader's choice, kept by the address.
    const own = `${day(40)},${day(35)}`;
    await tab.locator("select[name=compare]").selectOption("own");
    await settled(tab);
    assert.match((await address(tab)).get("compare"), /^\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d$/);
    await tab.locator("input[name=compareFrom]").fill(day(40));
    await settled(tab);
    await tab.locator("input[name=compareTo]").fill(day(35));
    await settled(tab);
    assert.equal((await address(tab)).get("compare"), own);
    await tab.reload();
    await settled(tab);
    assert.equal(await tab.locator("input[name=compareTo]").inputValue(), day(35));
    const [{ previous: [chosen] }] = await compared(own);
    assert.ok((await tab.locator("#tiles .tile").first().textContent()).includes(`from ${shownOf(chosen.visitors)}`));
    await everywhere(tab, "a period of one's own to compare with");
    await tab.locator("select[name=preset]").selectOption("last_12m"); // longer than 364 days can be
    await tab.setViewportSize({ width: 1440, height: 900 });
    await tab.locator("select[name=compare]").selectOption("previous_year_weeks");
    await settled(tab);
    assert.equal(await tab.locator(".failed").count(), 0);
  },

  async "the last minutes and hours are ranges, too"() {
    const tab = await open({ preset: "last_24h", interval: "minute" });
    await settled(tab);
    assert.match(await tab.locator("#notices").textContent(), /minutes for at most 6 hours/);
    const [{ data: [day] }, { data: hours }] = await query(service, { timezone: "Europe/Berlin", preset: "last_24h", parameters: ["summary_metrics", "summary"] });
    assert.equal(await tile(tab, "Pageviews"), day.pageviews);
    assert.equal(hours.length, 24);
    assert.equal(await tab.getByRole("slider").getAttribute("aria-valuemax"), "24");
    await tab.keyboard.press("o");
    await settled(tab);
    assert.equal((await address(tab)).get("preset"), "last_30m");
    assert.equal(await tab.getByRole("slider").getAttribute("aria-valuemax"), "30");
    assert.match(await tab.locator("#status").textContent(), /\d\d:\d\d.*\d\d:\d\d, compared with/);
    await tab.locator("select[name=preset]").selectOption("custom");
    await settled(tab);
    assert.equal(await tab.locator(".failed").count(), 0, "dates cannot follow minutes");
    for (const section of ["goals", "funnels", "retention", "paths", "uptime", "links", "flags"]) {
      await tab.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId, preset: "last_60m", section })}`);
      await settled(tab);
      assert.equal(await tab.locator(".failed").count(), 0, `${section} fails for an hour`);
    }
  },

  async "one field finds filters, a click turns them around, and a segment keeps them"() {
    const tab = await open({ preset: "last_7d" }), find = tab.getByRole("searchbox", { name: "Name of a field, or a value" });
    await settled(tab);
    await tab.getByRole("button", { name: "+ Add filter" }).click();
    assert.equal(await tab.evaluate(() => document.activeElement.name), "find");
    await find.fill("germ");
    await tab.getByRole("button", { name: "Country is Germany" }).waitFor();
    await everywhere(tab, "a filter that is looked for");
    await tab.setViewportSize({ width: 1440, height: 900 });
    await find.press("Enter");
    await settled(tab);
    const german = { field: "country", op: "eq", value: "DE" };
    assert.equal(await tile(tab, "Visitors"), (await totals({ filters: [german] })).visitors);
    await tab.getByRole("button", { name: "Turn around the filter Country is Germany" }).click();
    await settled(tab);
    assert.equal(await tile(tab, "Visitors"), (await totals({ filters: [{ not: german }] })).visitors);
    assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), "chip country", "the focus is lost");
    await tab.getByRole("button", { name: "+ Add filter" }).click();
    await find.fill("brow");
    await tab.getByRole("button", { name: "Browser …" }).click();
    assert.equal(await tab.locator("dialog select[name=field]").inputValue(), "browser_name");
    await tab.keyboard.press("Escape");

    // A segment takes the place of its filters, for all readers.
    const name = "Abroad <b>e2e</b>";
    await tab.getByRole("button", { name: "Segments" }).click();
    await tab.getByLabel("Name", { exact: true }).fill(name);
    await accessible(tab, "segments");
    await tab.getByRole("button", { name: "Save as a segment" }).click();
    await tab.waitForFunction(() => location.hash.includes("segment"));
    await settled(tab);
    assert.deepEqual((await address(tab)).getAll("filter").map(JSON.parse), [["segment", "is", name]]);
    assert.equal(await tile(tab, "Visitors"), (await totals({ filters: [{ not: german }] })).visitors);
    await tab.getByRole("button", { name: `Turn around the filter Segment is ${name}` }).click();
    await settled(tab);
    assert.equal(await tile(tab, "Visitors"), (await totals({ filters: [german] })).visitors);
    await tab.keyboard.press("x");
    await settled(tab);
    await tab.getByRole("button", { name: "Segments" }).click();
    await tab.getByRole("button", { name, exact: true }).click();
    await settled(tab);
    assert.equal(await tile(tab, "Visitors"), (await totals({ filters: [{ segment: name }] })).visitors);
    await tab.keyboard.press("x");
    await settled(tab);
    await tab.getByRole("button", { name: "Segments" }).click();
    const gone = tab.getByRole("button", { name: `Remove the segment ${name}` });
    await gone.click();
    await gone.click();
    await gone.waitFor({ state: "detached" });
  },

  async "dates move, compare and divide"() {
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    const [{ data: [now], previous: [before] }] = await query(service, { timezone: "Europe/Berlin", preset: "last_7d", parameters: [{ name: "summary_metrics", compare: "previous_period" }] });
    assert.equal(await tile(tab, "Visitors"), now.visitors);
    assert.equal(await tab.getByRole("button", { name: "Later period" }).isDisabled(), true);
    await tab.getByRole("button", { name: "Earlier period" }).click();
    await settled(tab);
    const at = await address(tab), dates = { preset: undefined, startDate: at.get("from"), endDate: at.get("to") };
    assert.equal(await tile(tab, "Visitors"), (await totals(dates)).visitors);
    assert.ok(before.visitors <= (await totals(dates)).visitors, "the period before is another one");
    await tab.getByRole("button", { name: "Later period" }).click();
    await settled(tab);
    assert.equal(await tile(tab, "Visitors"), now.visitors, "later does not undo earlier");
    await tab.locator("summary").click();
    await tab.locator("select[name=compare]").selectOption("previous_year");
    await settled(tab);
    await tab.locator("select[name=interval]").selectOption("hourly");
    await settled(tab);
    assert.equal(await tab.getByRole("slider").getAttribute("aria-valuemax").then(Number) > 24, true);
    await accessible(tab, "options");
    for (const preset of await tab.locator("select[name=preset] option").evaluateAll((all) => all.map(({ value }) => value).filter((value) => value !== "custom"))) {
      await tab.locator("select[name=preset]").selectOption(preset);
      await settled(tab);
      assert.equal(await tab.locator(".failed").count(), 0, `${preset}: ${await tab.locator(".failed").allTextContents()}`);
    }
  },

  async "the chart tells its values"() {
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    const [{ data, previous }] = await query(service, { timezone: "Europe/Berlin", preset: "last_7d", parameters: [{ name: "summary", compare: "previous_period" }] });
    const slider = tab.getByRole("slider"), text = () => slider.getAttribute("aria-valuetext");
    await slider.focus();
    await tab.keyboard.press("Home");
    assert.match(await text(), new RegExp(`: ${data[0].visitors} Visitors\\..*: ${previous[0].visitors}(\\. Change: |$)`));
    assert.match(await tab.locator(".tip").textContent(), new RegExp(`: ${data[0].visitors} Visitors`));
    await tab.keyboard.press("ArrowRight");
    assert.match(await text(), new RegExp(`: ${data[1].visitors} Visitors`));
    await tab.locator("#tiles .title").filter({ hasText: "Pageviews" }).click({ position: { x: 20, y: 10 } });
    await tab.locator("#tiles button[aria-pressed=true]").filter({ hasText: "Pageviews" }).waitFor();
    assert.equal((await address(tab)).get("metric"), "pageviews");
    const box = await slider.boundingBox();
    await tab.mouse.move(box.x + 2, box.y + 50);
    assert.match(await tab.locator(".tip").textContent(), new RegExp(`: ${data[0].pageviews.toLocaleString("en-GB")} Pageviews`));
    // Each label stands under the point of its bucket.
    const { off, cut, lines, tall } = await tab.locator("#chart svg").evaluate((svg) => {
      const d = svg.querySelector("path.area").getAttribute("d"), points = [...d.matchAll(/L([\d.]+),/g)].map(([, x]) => Number(x)), outer = svg.getBoundingClientRect();
      const all = [...svg.querySelectorAll("text[data-at]")], middle = ({ left, width }) => left + width / 2 - outer.left;
      return {
        off: Math.max(...all.map((label) => Math.abs(middle(label.getBoundingClientRect()) - points[label.dataset.at]))), lines: svg.querySelectorAll("line.grid").length, tall: outer.height,
        cut: [...svg.querySelectorAll("text")].map((label) => label.getBoundingClientRect()).filter(({ left, right, top }) => left < outer.left || right > outer.right || top < outer.top).length,
      };
    });
    assert.ok(off < 2, `a label stands ${off} px off its point`);
    assert.equal(cut, 0, "labels of the chart are cut");
    assert.ok(tall >= 320 && lines >= 4, `the chart is ${tall} px high and has ${lines} lines`);
    assert.equal(await tab.locator("#chart svg > circle").count(), 0, "points are drawn without being asked for");
    assert.equal(await tab.locator("path.this.open").count(), 1, "the unfinished day is not dashed");
    assert.equal(await tab.locator("path.other").count(), 1, "the other period has no line");

    // A click chooses the day, and so does the second tap of a finger. A click into the lane below writes a note there.
    const point = (i) => ({ x: box.x + (box.width * i) / (data.length - 1), y: box.y + 120 }), third = data[2].date, dates = async (page) => (await address(page)).get("from");
    await tab.mouse.click(point(2).x, point(2).y);
    await settled(tab);
    assert.equal(await dates(tab), third);
    assert.equal(await tile(tab, "Pageviews"), data[2].pageviews);
    await tab.goBack();
    await settled(tab);
    await slider.focus();
    await tab.keyboard.press("Home");
    await tab.keyboard.press("Enter");
    await settled(tab);
    assert.equal(await dates(tab), data[0].date);
    await tab.goBack();
    await settled(tab);
    await tab.locator(".track").click({ position: { x: box.width / (data.length - 1), y: 8 } });
    assert.equal(await tab.locator("dialog").getByLabel("Date").inputValue(), data[1].date);
    await tab.keyboard.press("Escape");
    const phone = await open({ preset: "last_7d", metric: "pageviews" }, { viewport: { width: 360, height: 800 }, hasTouch: true });
    await settled(phone);
    const small = await phone.getByRole("slider").boundingBox();
    for (const from of [null, third]) {
      await phone.touchscreen.tap(small.x + small.width / 3, small.y + 120);
      if (!from) await phone.locator(".tip").getByText("Tap again").waitFor();
      await settled(phone);
      assert.equal(await dates(phone), from);
    }

    // Outages of the website's monitors stand in a lane of their own.
    const [{ data: series }] = await (await fetch(`${service.address}/v1/query?schedule_id=${service.scheduleId}&timezone=Europe/Berlin`, {
      method: "POST", headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }, body: JSON.stringify({ preset: "last_90d", granularity: "daily", parameters: [{ name: "uptime_time_series", limit: 1000 }] }),
    })).json().then(({ data: all }) => all);
    const down = series.findIndex(({ downtime_seconds: seconds }) => seconds > 0);
    const broken = await open({ preset: "last_90d" });
    await settled(broken);
    await broken.locator(".breaks rect").first().waitFor();
    await broken.getByRole("slider").focus();
    await broken.keyboard.press("Home");
    for (let i = 0; i < down; i++) await broken.keyboard.press("ArrowRight");
    await broken.locator(".tip").getByText("Outage of ").first().waitFor();
  },

  async "annotations stand on the chart"() {
    const berlin = (at) => new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Berlin", dateStyle: "short" }).format(at);
    const day = berlin(Date.now() - 3 * 86_400_000), markup = "<b>Version 2.1</b> 📣", long = `שלום ${"x".repeat(190)}`;
    const definitions = async (method, query = "", body) => {
      const answer = await fetch(`${service.address}/v1/websites/${service.websiteId}/definitions${query}`, { method, headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
      return (await answer.json()).definitions?.filter(({ kind, body: { text } }) => kind === "annotation" && [markup, long, "Newsletter"].includes(text));
    };
    // In Kiritimati it is the next day already. A day has no zone.
    await definitions("POST", "", { kind: "annotation", name: "e2e", body: { at: `${day}T10:30:00Z`, text: "Newsletter" } });
    const tab = await open({ preset: "last_7d" });
    await settled(tab);
    const open7 = () => tab.getByRole("button", { name: "Annotations" }).click(), dialog = tab.locator("dialog");
    await open7();
    await dialog.getByText("Newsletter", { exact: true }).waitFor();
    await accessible(tab, "annotations");
    for (const [time, text] of [["", markup], ["23:45", long]]) {
      await dialog.getByLabel("Date").fill(day);
      await dialog.getByLabel("Time (optional)").fill(time);
      await dialog.getByLabel("What happened").fill(text);
      await dialog.getByRole("button", { name: "Add annotation" }).click();
      await dialog.getByText(text, { exact: true }).waitFor();
      await dialog.getByText("Added.").waitFor();
    }
    assert.equal(await dialog.locator("b").count(), 0, "HTML of a text became an element");
    await dialog.getByLabel("Date").fill("");
    await dialog.getByRole("button", { name: "Add annotation" }).click();
    await dialog.getByText("Choose a date").waitFor();
    await accessible(tab, "a mistake in an annotation");
    const saved = await definitions("GET");
    const clock = new Date(saved.find(({ body }) => body.text === long).body.at);
    assert.equal(new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Berlin", dateStyle: "short", timeStyle: "short" }).format(clock), `${day} 23:45`);
    assert.equal(saved.find(({ body }) => body.text === markup).body.at, day);
    await tab.keyboard.press("Escape");

    // The mouse, the keyboard, a finger and screen readers all reach every annotation.
    const slider = tab.getByRole("slider"), tip = tab.locator(".tip"), told = () => slider.getAttribute("aria-valuetext");
    assert.ok((await tab.locator(".pins text").allTextContents()).some((count) => Number(count) >= 3), "three in a bucket are not told by the mark");
    await slider.focus();
    await tab.keyboard.press("Home");
    for (let i = 0; i < 3; i++) await tab.keyboard.press("ArrowRight");
    for (const text of [markup, `23:45: ${long}`, "Newsletter"]) {
      assert.ok((await told()).includes(text), `${text} is not in: ${await told()}`);
      assert.ok((await tip.textContent()).includes(text), `${text} is not in the tip`);
      assert.equal(await tab.getByRole("list", { name: "Annotations in this range" }).getByText(text.replace("23:45: ", "")).count(), 1);
    }
    assert.equal(await tab.locator("#chart b").count(), 0);
    await accessible(tab, "the chart with annotations");
    await picture(tab, "annotations");
    await tab.locator("summary").click();
    await tab.locator("select[name=interval]").selectOption("hourly");
    await settled(tab);
    const hour = async (text) => (await tab.getByRole("list", { name: "Annotations in this range" }).getByRole("listitem").filter({ hasText: text }).textContent()).match(/, (\d\d:\d\d): /)[1];
    assert.deepEqual([await hour(markup), await hour(long)], ["00:00", "23:00"]);
    await tab.locator("select[name=timezone]").selectOption("Pacific/Kiritimati");
    await settled(tab);
    assert.equal(await hour(markup), "00:00", "a day belongs to the zone of the reader");
    assert.notEqual(await hour(long), "23:00", "an instant is the same in every zone");
    await tab.locator("select[name=interval]").selectOption("weekly");
    await settled(tab);
    assert.ok((await tab.locator("#chart ul").textContent()).includes(markup));

    const phone = await open({ preset: "last_30d" }, { viewport: { width: 390, height: 844 }, hasTouch: true });
    await settled(phone);
    const pins = phone.locator(".pins circle");
    await pins.first().waitFor();
    const spot = await pins.evaluateAll((all) => all.map((pin) => pin.getBoundingClientRect()).map(({ x, width }) => x + width / 2).at(-1)), box = await phone.getByRole("slider").boundingBox();
    await phone.touchscreen.tap(spot + 11, box.y + 60); // a finger is not exact
    assert.ok((await phone.locator(".tip").textContent()).length > 20);
    assert.ok(await phone.locator(".tip .pinned").count() > 0, "a finger does not find the annotation");
    assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "annotations make the page wider");
    await picture(phone, "annotations-390");
    await phone.getByRole("button", { name: "Annotations" }).tap();
    await phone.locator("dialog").getByText(markup).waitFor();
    assert.ok(await phone.evaluate(() => document.querySelector("dialog").scrollWidth <= innerWidth), "the dialog is wider than the screen");
    await accessible(phone, "annotations at 390 px");
    await picture(phone, "annotations-390-dialog");
    await phone.context().close();

    await open7();
    for (const text of [markup, long, "Newsletter"]) {
      const remove = dialog.locator("li").filter({ hasText: text }).getByRole("button");
      await remove.click();
      await remove.filter({ hasText: "Remove for everybody" }).click();
      await dialog.locator("li").filter({ hasText: text }).waitFor({ state: "detached" });
    }
    assert.ok(await tab.evaluate(() => document.querySelector("dialog").contains(document.activeElement)), "the focus is lost after a removal");
    assert.deepEqual(await definitions("GET"), []);
  },

  async "the page keeps up"() {
    const context = { viewport: { width: 1440, height: 900 } }, tab = await open({ preset: "last_7d" }, context);
    await settled(tab);
    await tab.evaluate(() => sessionStorage.setItem("kept", "yes"));
    assert.match(await tab.locator("#live").textContent(), /^\d+ visitors? now As of \d\d:\d\d$/);
    assert.match(await tab.title(), /^\d+ now · .* – Sightline$/);
    await tab.clock.install();
    await tab.reload();
    await settled(tab);
    await tab.locator("#cards button").nth(2).focus();
    const focused = await tab.evaluate(() => document.activeElement.dataset.key);
    await Promise.all([tab.waitForRequest(/v1\/query\?/), tab.clock.runFor(61_000)]);
    await settled(tab);
    assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), focused, "a refresh moves the focus");
  },

  async "a link asks before it replaces the reader's key"() {
    const response = await fetch(`${service.address}/v1/tokens`, {
      method: "POST", headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" }, body: JSON.stringify({ scopes: ["read:data"] }),
    });
    const { token } = await response.json(), sent = [];
    const ask = "Use the key of this link?", stored = (tab) => tab.evaluate(() => sessionStorage.getItem("sightline-key"));
    for (const where of ["this tab", "this device"]) {
      const tab = await open(new URLSearchParams({ website: service.websiteId, preset: "last_7d" }));
      await tab.getByLabel("Key or panel token").fill(service.key);
      if (where === "this device") await tab.getByLabel("Stay signed in").check();
      await tab.getByRole("button", { name: "Sign in" }).click();
      await settled(tab);
      const page = where === "this tab" ? tab : await tab.context().newPage();
      page.on("request", (one) => one.headers().authorization?.includes(token) && sent.push(one.url()));
      const link = `${service.address}/#${new URLSearchParams({ token, website: service.websiteId, preset: "last_14d" })}`;
      for (const answer of ["Keep my key", "nothing", "Use the key of the link"]) {
        sent.length = 0;
        await page.goto(link);
        await page.getByText(ask).waitFor();
        await everywhere(page, "a link with another key");
        assert.ok(!(await page.evaluate(() => location.hash)).includes(token), "the secret stays in the address");
        assert.equal(await stored(page), service.key, `${where}: the key was replaced before the reader answered`);
        assert.equal(await page.locator("#answers").isVisible(), false, "numbers are shown before the reader answered");
        if (answer === "nothing") await page.reload();
        else await page.getByRole("button", { name: answer }).click();
        await settled(page);
        const accepted = answer === "Use the key of the link";
        assert.equal(await page.getByText(ask).isVisible(), false);
        assert.equal(sent.length > 0, accepted, `${where}, ${answer}: the key of the link was sent ${sent.length} times`);
        assert.equal(await stored(page), accepted ? token : service.key, `${where}, ${answer}`);
        assert.equal(await page.evaluate(() => localStorage.getItem("sightline-key")), where === "this device" ? service.key : null, `${where}, ${answer}`);
      }
    }
    // Without a key of the reader, and with the same one, nobody is asked.
    const guest = await open({ key: token });
    await settled(guest);
    for (const key of [token, service.key, token]) {
      await guest.goto(`${service.address}/#${new URLSearchParams({ key, website: service.websiteId })}`);
      await settled(guest);
      assert.equal(await stored(guest), key);
    }
  },

  async "small things are right"() {
    // A key whose middle was left out says so, and a new tab knows the key of the others until it is left.
    const tab = await open(new URLSearchParams({ website: service.websiteId, preset: "last_7d" }));
    await tab.getByLabel("Key or panel token").fill(`${service.key.slice(0, 8)}…`);
    await tab.getByRole("button", { name: "Sign in" }).click();
    await tab.getByText("This is not a whole key").waitFor();
    await tab.getByLabel("Key or panel token").fill(service.key);
    await tab.getByRole("button", { name: "Sign in" }).click();
    await settled(tab);
    // A row is a link: the browser opens its page in another tab, which gets the key of this one.
    const linked = card(tab, "Pages").locator("tbody a").first(), [beside] = await Promise.all([tab.context().waitForEvent("page"), linked.click({ modifiers: ["ControlOrMeta"] })]);
    assert.equal(await tab.locator(".chip").count(), 0, "this tab follows the link, too");
    await settled(beside);
    assert.deepEqual((await address(beside)).getAll("filter").map(JSON.parse), [["path", "is", await linked.textContent()]]);
    assert.equal(await beside.locator(".chip").count(), 1);
    await beside.close();
    const other = await tab.context().newPage();
    await other.goto(`${service.address}/#${new URLSearchParams({ website: service.websiteId, preset: "last_7d" })}`);
    await settled(other);

    // An entry page filters visits by where they began, and a row of properties the visits that have it.
    const chips = () => tab.locator(".chip").allTextContents();
    await tab.getByRole("tab", { name: "Entry" }).click();
    await settled(tab);
    const row = card(tab, "Pages").locator("tbody tr").first(), [path, visits] = await row.locator("td").allTextContents();
    await row.getByRole("link").click();
    await settled(tab);
    assert.match((await chips())[0], /^Entry page is /);
    assert.equal((await totals({ filters: [{ field: "entry_page", op: "eq", value: path }] })).sessions, number(visits));
    assert.equal(await tile(tab, "Visits"), number(visits));
    await tab.keyboard.press("x");
    await settled(tab);
    await tab.getByRole("link", { name: "Properties of" }).first().click();
    const property = tab.locator("dialog tbody td.name a").first(), [key, value] = (await property.textContent()).split(" = ");
    await property.click();
    await settled(tab);
    assert.equal((await chips())[0], `Property ${key} is ${value}✎✕`);
    const did = { did: { event: { op: "matches", value: "." }, filters: [{ field: `property:${key}`, op: "eq", value }] } };
    assert.equal(await tile(tab, "Visits"), (await totals({ filters: [did] })).sessions);
    await tab.keyboard.press("x");
    await settled(tab);

    // One list that is slow or fails holds back nothing else, and the navigation stays where it is while the page loads.
    const place = await other.evaluate(() => JSON.stringify([...document.querySelectorAll("#sections a")].map((one) => [one.textContent, one.offsetLeft, one.getBoundingClientRect().top])));
    let release, sources = 0;
    const held = new Promise((resolve) => { release = resolve; });
    await other.route(/v1\/query\?/, async (route) => {
      const body = route.request().postDataJSON();
      if (body.parameters?.[0]?.id === "sources" && sources++ === 0) await held;
      if (body.parameters?.[0]?.id === "countries") return route.fulfill({ status: 500, json: { success: false, error: "no", code: "NO" } });
      return route.continue();
    });
    const early = [];
    await other.exposeFunction("seen", (one) => early.push(one));
    await other.addInitScript(() => new MutationObserver(() => document.querySelectorAll("#sections a").forEach((one) => globalThis.seen(JSON.stringify([one.textContent, one.offsetLeft, one.getBoundingClientRect().top])))).observe(document, { childList: true, subtree: true }));
    await other.reload();
    await card(other, "Technology").locator("tbody tr").first().waitFor();
    await card(other, "Places").getByText("The server has a fault").waitFor();
    assert.match(await card(other, "Sources").textContent(), /Loading/);
    assert.ok((await tile(other, "Visitors")) > 0, "the tiles wait for a list");
    release();
    await card(other, "Sources").locator("tbody tr").first().waitFor();
    assert.deepEqual([...new Set(early)].filter((one) => !place.includes(one)), [], `the navigation jumps, at the end it is ${place}`);

    // Digits count the sections that are there, up to nine.
    const sections = await tab.locator("#sections a").evaluateAll((all) => all.map((one) => one.dataset.section));
    const last = Math.min(9, sections.length);
    await tab.keyboard.press(String(last));
    await tab.locator(`#sections a[data-section=${sections[last - 1]}][aria-current]`).waitFor();
    await tab.locator("#sections a[data-section=settings]").click();
    await tab.getByText("Asked what the key may do").first().waitFor();

    // Leaving one tab leaves all.
    await other.unroute(/v1\/query\?/);
    await tab.locator("summary").first().click();
    await tab.getByRole("button", { name: "Sign out" }).click();
    for (const one of [tab, other]) await one.getByLabel("Key or panel token").waitFor();
  },

  async "faults are told in words, and numbers stay"() {
    const tab = await open(new URLSearchParams({ website: service.websiteId, preset: "last_7d" }));
    await tab.getByLabel("Key or panel token").fill("sl_nobody");
    await everywhere(tab, "signing in");
    await tab.getByRole("button", { name: "Sign in" }).click();
    await tab.getByText("This key is not valid").waitFor();
    await everywhere(tab, "a key that is not valid");
    await tab.getByLabel("Key or panel token").fill(service.key);
    await tab.getByLabel("Stay signed in").check();
    await tab.getByRole("button", { name: "Sign in" }).click();
    await settled(tab);
    const again = await tab.context().newPage();
    await again.goto(service.address);
    await settled(again);
    await again.close();
    const views = await tile(tab, "Pageviews");
    const faults = { 429: /Too many requests with this key\. Trying again in \d+ s\./, 500: /The server has a fault\. Trying again in \d+ s\./, 401: /This key is not valid/, gone: /The server does not answer\. Trying again in \d+ s\./ };
    for (const [status, text] of Object.entries(faults)) {
      await tab.route(/v1\/query\?/, (route) => (status === "gone" ? route.abort() : route.fulfill({ status: Number(status), headers: { "Retry-After": "1" }, json: { success: false, error: "no", code: "NO" } })));
      await tab.locator("select[name=preset]").selectOption(status === "500" ? "last_14d" : "last_30d");
      await tab.getByText(text).first().waitFor(); // each list says it, too
      assert.equal(await tile(tab, "Pageviews"), views, `${status}: the numbers are gone`);
      if (status === "500") await everywhere(tab, "a fault of the server");
      await tab.unroute(/v1\/query\?/);
      if (status === "401") {
        await tab.getByLabel("Key or panel token").fill(service.key);
        await tab.getByRole("button", { name: "Sign in" }).click();
      }
      await settled(tab); // it tries again by itself
      await tab.locator("select[name=preset]").selectOption("last_7d");
      await settled(tab);
    }
    // Single questions that fail.
    await tab.route(/v1\/query\?/, async (route) => {
      const answer = await (await route.fetch()).json();
      answer.data = answer.data.map((one) => (["totals", "series", "pages"].includes(one.id) ? { id: one.id, success: false, error: "it takes too long" } : one));
      await route.fulfill({ json: answer });
    });
    await tab.locator("select[name=preset]").selectOption("last_14d");
    await tab.locator("#tiles + .failed").filter({ hasText: "The server cannot answer: it takes too long" }).waitFor();
    assert.deepEqual(await tab.locator("#tiles strong").allTextContents(), Array(6).fill("–"));
    await everywhere(tab, "questions that failed");
  },

  async "it is accessible in light and dark, wide and narrow"() {
    for (const width of [1440, 768, 390, 320]) {
      for (const colorScheme of night ? ["light", "dark"] : [width === 390 ? "dark" : "light"]) {
        const tab = await open({ preset: "last_7d", filter: JSON.stringify(["country", "is", "DE", "FR"]) }, { viewport: { width, height: 900 }, colorScheme });
        await settled(tab);
        await accessible(tab, `${width} px, ${colorScheme}`);
        assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the page is wider than ${width} px`);
        await picture(tab, `overview-${width}-${colorScheme}`);
        await tab.context().close();
      }
    }
  },
});
