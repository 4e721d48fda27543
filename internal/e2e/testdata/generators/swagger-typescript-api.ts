import { Api } from "./generated/swagger.js";
import { check, checkAnswer, event, headers, question, service } from "./service.js";

const api = new Api({ baseUrl: service.address, baseApiParams: { headers } });
const answer = await api.v1.runQuery(question, { website_id: service.websiteId }, { format: "json" });
checkAnswer(answer.data);
const sent = await api.ingest.sendEvents(event("swagger_typescript_api"));
check(sent.data.status === "success", "the event", sent.data);
const flag = await api.public.evaluateFlag({ clientId: service.websiteId, key: "generated", properties: '{"plan":"pro"}' });
check(flag.data.value === true, "the flag", flag.data);
