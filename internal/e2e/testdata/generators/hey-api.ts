import { client } from "./generated/hey-api/client.gen.js";
import { evaluateFlag, runQuery, sendEvents } from "./generated/hey-api/index.js";
import { check, checkAnswer, event, question, service } from "./service.js";

client.setConfig({ baseUrl: service.address, auth: service.key });
const answer = await runQuery({ query: { website_id: service.websiteId }, body: question });
checkAnswer(answer.data);
const sent = await sendEvents({ body: event("hey_api") });
check(sent.data?.status === "success", "the event", sent);
const flag = await evaluateFlag({ query: { clientId: service.websiteId, key: "generated", properties: '{"plan":"pro"}' } });
check(flag.data?.value === true, "the flag", flag);
