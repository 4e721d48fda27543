import createClient from "openapi-fetch";
import type { paths } from "./generated/openapi.js";
import { check, checkAnswer, event, headers, question, service } from "./service.js";

const api = createClient<paths>({ baseUrl: service.address, headers });
const answer = await api.POST("/v1/query", { params: { query: { website_id: service.websiteId } }, body: question });
checkAnswer(answer.data);
const sent = await api.POST("/ingest/track", { body: event("openapi_typescript") });
check(sent.data?.status === "success", "the event", sent);
const flag = await api.GET("/public/v1/flags/evaluate", { params: { query: { clientId: service.websiteId, key: "generated", properties: '{"plan":"pro"}' } } });
check(flag.data?.value === true, "the flag", flag);
