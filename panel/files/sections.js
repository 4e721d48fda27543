import { flags } from "./flags.js";
import { funnels } from "./funnels.js";
import { goals } from "./goals.js";
import { links } from "./links.js";
import { live } from "./live.js";
import { overview } from "./overview.js";
import { paths } from "./paths.js";
import { retention } from "./retention.js";
import { settings } from "./settings.js";
import { uptime } from "./uptime.js";

// The sections of the page, in their order. Each is an object with
//
//   parameters(view)   the parameters of the question that the page asks for it, or
//   load(view)         a promise of what it shows, if it asks other routes of the API (api.js); of its answers the page tells the period
//                      that they are compared with
//   also(view)         optional: asks for what the section shows beside that, after the question was sent
//   own                optional: the names of its own parameters of the address. They are texts in the view, by default ""
//   draw(parent, view, answered, act)
//                      shows it in parent, which replace() of dom.js keeps focus in. answered has meta, and answers by the id of their
//                      parameters, or loaded. act changes the view: see app.js
//   dialog(view, answered, act)
//                      optional: { title, content } of the dialog for a view.edit that is its own, or null
//   undated            true if dates and filters do not matter. Such a section is also shown to keys that see no website
//   range              optional: the range and comparison of the section in place of those of the view. dialogRange is that of its dialogs
//   unfiltered         true if filters do not matter, but dates do
//   offered(view)      optional: a promise of whether the key can see anything in it; if not, it is not in the navigation
export const sections = { overview, live, goals, funnels, retention, paths, links, uptime, flags, settings };
