import { evaluateFlag, runQuery, sendEvents } from "./generated/orval.js";
import { check, checkAnswer, event, headers, question, service } from "./service.js";

// orval gives a Response for routes that can also stream their rows.
const answer = await runQuery(question, { website_id: service.websiteId }, { headers });
check("stream" in answer, "the answer", answer);
checkAnswer(await answer.stream.json());
const sent = await sendEvents(event("orval"), {}, { headers });
check(sent.status === 200 && sent.data.status === "success", "the event", sent);
const flag = await evaluateFlag({ clientId: service.websiteId, key: "generated", properties: '{"plan":"pro"}' });
check(flag.status === 200 && flag.data.value === true, "the flag", flag);
