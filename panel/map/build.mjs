// Writes ../files/world.js, the shapes of the countries, from Natural Earth by the package world-atlas. See `make map`.
import { readFileSync, writeFileSync } from "node:fs";

const read = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}`, import.meta.url), "utf8"));
const codes = new Map(read("i18n-iso-countries/codes.json").map(([two, , number]) => [number, two]));

// Areas without a number of ISO 3166: Kosovo has a code that most use; the others are drawn with the country that ISO has there.
const unnumbered = { Kosovo: "XK", Somaliland: "SO", "N. Cyprus": "CY" };
const without = new Set(["AQ"]); // nobody lives there, and it takes a fifth of the height

const width = 1000; // units of the drawing

// Equal Earth, a projection that keeps the ratios of areas: B. Šavrič, T. Patterson, B. Jenny, 2018.
function project([longitude, latitude]) {
  const m = Math.sqrt(3) / 2, t = Math.asin(m * Math.sin((latitude * Math.PI) / 180)), t2 = t * t, t6 = t2 * t2 * t2;
  const x = ((longitude * Math.PI) / 180) * Math.cos(t) / (m * (1.340264 + 3 * -0.081106 * t2 + t6 * (7 * 0.000893 + 9 * 0.003796 * t2)));
  return [x, t * (1.340264 + -0.081106 * t2 + t6 * (0.000893 + 0.003796 * t2))];
}

const [right] = project([180, 0]), [, top] = project([0, 83.7]), [, bottom] = project([0, -56]);
const scale = width / (2 * right);
const height = Math.ceil((top - bottom) * scale);
function at(place) {
  const [x, y] = project(place);
  return [Math.round((x + right) * scale), Math.round((top - y) * scale)];
}

/** Returns a ring, of longitudes and latitudes, in one piece if it crosses the edge of the drawing: behind the edge nothing is shown. */
function whole(ring) {
  let turns = 0;
  return ring.map(([longitude, latitude], i) => {
    if (i > 0 && Math.abs(longitude - ring[i - 1][0]) > 180) turns += longitude < ring[i - 1][0] ? 1 : -1;
    return [longitude + turns * 360, latitude];
  });
}

/** Returns the rings of each country, by its code, as points of the drawing. */
function countries(file) {
  const { transform, arcs, objects } = read(file);
  const lines = arcs.map((arc) => {
    let x = 0, y = 0;
    return arc.map(([dx, dy]) => {
      x += dx;
      y += dy;
      return [x * transform.scale[0] + transform.translate[0], y * transform.scale[1] + transform.translate[1]];
    });
  });
  const line = (i) => (i < 0 ? lines[~i].toReversed() : lines[i]);
  const ring = (indexes) => whole(indexes.flatMap((i) => line(i))).map(at).filter(([x, y], i, all) => i === 0 || x !== all[i - 1][0] || y !== all[i - 1][1]);
  const found = new Map();
  for (const { type, id, arcs: parts, properties } of objects.countries.geometries) {
    const code = codes.get(id) ?? unnumbered[properties.name];
    if (!code || without.has(code)) continue;
    found.set(code, [...(found.get(code) ?? []), ...(type === "Polygon" ? [parts] : parts).flatMap((polygon) => polygon.map(ring))]);
  }
  return found;
}

const area = (ring) => Math.abs(ring.reduce((sum, [x, y], i) => sum + x * ring[(i + 1) % ring.length][1] - ring[(i + 1) % ring.length][0] * y, 0)) / 2;
const path = (ring) => `M${ring[0]}l${ring.slice(1).map(([x, y], i) => `${x - ring[i][0]},${y - ring[i][1]}`).join(" ")}z`.replaceAll(",-", "-").replaceAll(" -", "-");
const byCode = (entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));

const large = countries("world-atlas/countries-110m.json");
const shapes = [...large].map(([code, rings]) => [code, rings.filter((ring) => ring.length > 2).map(path).join("")]).filter(([, d]) => d);
const drawn = new Set(shapes.map(([code]) => code));
const dots = [...countries("world-atlas/countries-50m.json")].filter(([code]) => !drawn.has(code)).map(([code, rings]) => {
  const ring = rings.toSorted((a, b) => area(b) - area(a))[0];
  return [code, [0, 1].map((axis) => Math.round((Math.min(...ring.map((one) => one[axis])) + Math.max(...ring.map((one) => one[axis]))) / 2))];
});

const entries = (name, all) => `  ${name}: {\n${Object.entries(byCode(all)).map(([code, value]) => `    ${code}: ${typeof value === "string" ? `"${value}"` : `[${value.join(", ")}]`},\n`).join("")}  },\n`;
writeFileSync(new URL("../files/world.js", import.meta.url), `// The countries of the world. Made by panel/map/build.mjs, see \`make map\`; do not edit.
// Source: Natural Earth (naturalearthdata.com), in the public domain, by the package world-atlas, (c) Michael Bostock, ISC licence.

/** Shapes by ISO 3166 code, and the places of countries that are too small for one, in units of width and height. */
export const world = {
  width: ${width}, height: ${height},
${entries("shapes", shapes)}${entries("dots", dots)}};
`);
