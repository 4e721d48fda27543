// The sections of the page, in their order. Each is an object with
//
//   parameters(view)   the parameters of the question that the page asks for it, or
//   load(view)         a promise of what it shows, if it asks other routes of the API (api.js); of its answers the page tells the period
//                      that they are compared with
//   own                optional: the names of its own parameters of the address. They are texts in the view, by default ""
//   draw(parent, view, answered, act)
//                      shows it in parent, which replace() of dom.js keeps focus in. answered has meta, and answers by the id of their
//                      parameters, or loaded. act changes the view: see app.js
//   dialog(view, answered, act)
//                      optional: { title, content } of the dialog for a view.edit that is its own, or null
//   undated            true if dates and filters do not matter. Such a section is also shown to keys that see no website
import { funnels } from "./funnels.js";
import { goals } from "./goals.js";
import { overview } from "./overview.js";
import { paths } from "./paths.js";
import { retention } from "./retention.js";
import { settings } from "./settings.js";

export const sections = { overview, goals, funnels, retention, paths, settings };
