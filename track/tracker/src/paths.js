// Paths of pages: in the form in which the server compares them, without what the site's patterns hide.

/** Decodes the escapes of unreserved ASCII characters. A decoded character may complete another escape. */
function unescaped(path) {
  const less = path.replace(/%[2-7][0-9a-f]/gi, (code) => {
    const character = decodeURIComponent(code);
    return /[\w.~-]/.test(character) ? character : code;
  });
  return less === path ? path : unescaped(less);
}

/** Decodes a run of escapes if it is readable text outside of ASCII. */
function readable(run) {
  let text;
  try {
    text = decodeURIComponent(run);
  } catch {} // the bytes are not UTF-8
  return text > "~" && !/[\p{Cc}\p{Cf}]/u.test(text) ? text : run.toUpperCase();
}

/** Returns path as the server stores it, so that different spellings of a path are one page. */
export const normal = (path) =>
  unescaped(path)
    .normalize()
    .replace(/(%[89a-f][0-9a-f])+|%[0-9a-f]{2}/gi, readable)
    .normalize()
    .replace(/\/+$/, "") || "/";

/** Returns a regular expression for a pattern of paths: `*` matches part of a segment, `**` anything. */
function expression(pattern, end) {
  const source = normal(pattern)
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, (stars) => (stars[1] ? ".*" : "[^/]*"));
  return new RegExp(`^${source}${end}`);
}

/** Reports whether events of a normal path are not sent. The same page with a slash at its end may match a pattern. */
export const skipped = (o, path) => o.skipPatterns.some((pattern) => expression(pattern, "/?$").test(`${path}/`));

/** Returns a normal path after replacing its beginning by the first pattern that matches it. */
export const masked = (o, path) =>
  o.maskPatterns
    .map((pattern) => path.replace(expression(pattern, ""), () => normal(pattern)))
    .find((sent) => sent !== path) ?? path;

const bare = (host) => host.replace(/^www\./, "");

/** Returns what may be sent in place of a path on host. */
export function shown(o, path, host = location.host) {
  const plain = normal(path);
  if (bare(host) !== bare(location.host)) return path;
  const sent = skipped(o, plain) ? "/" : masked(o, plain);
  return sent === plain ? path : sent;
}

// A URL, or a path after a blank, bracket or quotation mark; its path; its query and fragment; a place in the file.
const addresses = new RegExp(
  "(\\b\\w+://[^\\s/?#()\"'`]*|(?:^|[\\s(\"'`])(?=/))" +
    "(/[^\\s?#()\"'`]*?)?([?#][^\\s()\"'`]*?)?((?::\\d+){0,2}[.,;:!]*)(?=[\\s()\"'`]|$)",
  "g",
);

/**
 * Returns text without the users, queries and fragments of URLs, and without the site's hidden paths. Line and column
 * numbers stay.
 */
export const scrubbed = (o, text) =>
  text?.replace(addresses, (_, before, path, query, place) => {
    const origin = before.replace(/[^/]*@/, "");
    return origin + (path ? shown(o, path, origin.split("://")[1]) : "") + place;
  });
