// Outages of a monitor, from its checks.

const down = 0; // the status of a failed check

/**
 * Returns the outages in checks, the latest first. An outage is from a failed check to the next one that did not fail, or until the
 * end of the answer, if that is not there yet. Checks may be in any order. until is the end of the answer in ms.
 */
export function outagesOf(checks, until) {
  const found = [];
  let open = null;
  for (const check of checks.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))) {
    const at = Date.parse(check.timestamp);
    if (check.status !== down) {
      if (open) open.to = at;
      open = null;
      continue;
    }
    if (!open) found.push(open = { from: at, to: null, checks: 0, reasons: new Set() });
    open.checks++;
    open.reasons.add(check.error || `HTTP ${check.http_code}`);
  }
  return found.reverse().map(({ from, to, checks: count, reasons }) => ({ from, open: to == null, seconds: ((to ?? until) - from) / 1000, checks: count, reasons: [...reasons] }));
}
