// The request that the page sends, as a command and as a program.
import { address, question, questionPath } from "./api.js";

/** Returns a command that asks for a parameter of a view. KEY stands in the place of a key. */
export function curl(view, parameter) {
  const body = JSON.stringify(question(view, [parameter])).replaceAll("'", `'\\''`);
  return `curl -s '${address(questionPath(view))}' -H 'Authorization: Bearer KEY' -H 'Content-Type: application/json' -d '${body}'`;
}

// Words of names in Go that are written in capitals.
const capitals = new Set(["dom", "gclid", "id", "os", "ssl", "ttfb", "url", "utm"]);
const nameOf = (type) => type.split("_").map((word) => (capitals.has(word) ? word.toUpperCase() : word[0].toUpperCase() + word.slice(1))).join("");

const quoted = (text) => JSON.stringify(text.toWellFormed()).replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const list = (kind, all) => `[]client.${kind}{${all.join(", ")}}`;

function textOf(value) {
  return typeof value === "string" ? `client.Is(${quoted(value)})` : `client.Matching(${[value.op, value.value].map(quoted).join(", ")})`;
}

function filterOf({ field, op, value, and, or, not, did, segment }) {
  if (segment) return `client.Segment(${quoted(segment)})`;
  if (and || or) return `client.${and ? "And" : "Or"}(${(and ?? or).map(filterOf).join(", ")})`;
  if (not) return `client.Not(${filterOf(not)})`;
  if (did) return `client.Did(client.Action{${Object.entries(did).map(([kind, one]) => `${nameOf(kind)}: ${textOf(one)}`).join(", ")}})`;
  return `client.Where(${[field, op, value].flat().map(quoted).join(", ")})`;
}

/** Returns a program in Go that asks for a parameter of a view, with package client. The key is in the environment. */
export function goProgram(view, parameter) {
  const asked = { ...question(view, []), ...parameter };
  const fields = [
    ["Preset", asked.preset && quoted(asked.preset)], ["StartDate", asked.startDate && quoted(asked.startDate)], ["EndDate", asked.endDate && quoted(asked.endDate)], ["Complete", asked.complete && "true"],
    ["TimeZone", quoted(view.zone)], ["Metric", asked.metric && `&client.ChangedMetric{Name: ${quoted(asked.metric)}}`], ["MinWeight", asked.minWeight && `new(${asked.minWeight.toFixed(1)})`], ["Filters", asked.filters.length > 0 && list("Filter", asked.filters.map(filterOf))], ["SortBy", asked.sortBy && quoted(asked.sortBy)],
    ["SortOrder", asked.sortOrder && quoted(asked.sortOrder)], ["Limit", asked.limit], ["Page", asked.page > 1 && asked.page], ["WeekStart", quoted(asked.weekStart)],
    ["Compare", asked.compare && asked.compare !== "none" && quoted(asked.compare)],
  ].filter(([, value]) => value);
  const width = Math.max(...fields.map(([name]) => name.length));
  return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/sightline-analytics/sightline/client"
)

func main() {
	c, err := client.New(client.Config{URL: ${quoted(String(address("")))}, Key: os.Getenv("SIGHTLINE_KEY")})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := client.Query[client.${nameOf(parameter.name)}Row](context.Background(), c, client.WebsiteID(${quoted(view.website)}), client.Question{
${fields.map(([name, value]) => `\t\t${name}:${" ".repeat(width - name.length + 1)}${value},`).join("\n")}
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range answer.Rows {
		fmt.Printf("%+v\\n", row)
	}
}
`;
}
