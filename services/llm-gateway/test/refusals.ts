import { parseJson } from "#shared/parse-json.ts";
import { tableRows } from "../../../test/support/table-rows.ts";
import { TEST_KEY_ENV } from "./open-gateway.ts";

/** Error bodies in the forms in which the servers send them: the server | the status | the code that it has to become | what the message says | the body. */
const TABLE = String.raw`
xAI's chat                                  | 400 | credentials      | KEY_VARIABLE | {"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***23."}
Perplexity                                  | 400 | context_too_long | total length | {"error":{"message":"The total length of all messages is too long.","type":"too_many_prompt_tokens","code":400}}
Groq                                        | 400 | context_too_long | reduce the length | {"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages"}}
Mistral                                     | 400 | context_too_long | 40000 tokens | {"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","param":null,"code":"3051"}
Mistral                                     | 401 | credentials      | KEY_VARIABLE | {"detail":"Invalid API Key"}
a FastAPI server                            | 422 | invalid_request  | Extra inputs are not permitted | {"detail":[{"type":"extra_forbidden","loc":["body","x"],"msg":"Extra inputs are not permitted"}]}
Together                                    | 422 | context_too_long | must be <= 4097 | {"error":{"message":"Input validation error: 'inputs' tokens + 'max_new_tokens' must be <= 4097. Given: 5000","type":"invalid_request_error"}}
Fireworks                                   | 400 | context_too_long | 140000 | {"error":{"object":"error","type":"invalid_request_error","message":"The prompt is too long: 140000, model maximum context length: 131071"}}
Cohere                                      | 401 | credentials      | KEY_VARIABLE | {"message":"invalid api token"}
Cohere                                      | 400 | context_too_long | 4081 | {"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081"}
DeepSeek                                    | 402 | credentials      | the account of the credential in KEY_VARIABLE has no credit | {"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}
Azure's content filter                      | 400 | content_blocked  | content management policy | {"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}
Azure without the deployment                | 404 | invalid_request  | check base_url | {"error":{"code":"404","message":"Resource not found"}}
llama.cpp                                   | 500 | context_too_long | Context size | {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}
llama.cpp without /v1                       | 404 | invalid_request  | check base_url | {"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}
vLLM                                        | 400 | context_too_long | 5000 tokens | {"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}
vLLM without /v1                            | 404 | invalid_request  | check base_url | {"detail":"Not Found"}
LM Studio without /v1                       | 200 | invalid_request  | check base_url | {"error":"Unexpected endpoint or method. (POST /chat/completions)"}
LM Studio                                   | 400 | context_too_long | 6547 | {"error":"Trying to keep the first 6547 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}
Ollama without /v1                          | 404 | invalid_request  | (404): 404 page not found: check base_url | "404 page not found"
Ollama                                      | 404 | invalid_request  | the provider refused the request (404): model | {"error":{"message":"model \"nomodel:1b\" not found, try pulling it first","type":"not_found_error"}}
Express without the route                   | 404 | invalid_request  | check base_url | "Cannot POST /chat/completions"
OpenAI, of more tokens than its rate allows | 429 | context_too_long | Requested 45210 | {"error":{"message":"Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 45210. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}
a server without a quota                    | 429 | credentials      | no credit or quota left | {"error":{"message":"Rate limit reached: Limit: 0, Requested: 1,200."}}
a proxy whose key is wrong                  | 500 | credentials      | KEY_VARIABLE | {"error":{"message":"AuthenticationError: Incorrect API key provided: sk-***1","type":"proxy_error"}}
a router without credit                     | 503 | credentials      | no credit | {"error":{"message":"upstream: insufficient_quota","type":"upstream_error"}}
a router without the model                  | 503 | invalid_request  | no available channel | {"error":{"message":"no available channel for model x","code":"model_not_found"}}
a server of files                           | 405 | invalid_request  | check base_url | ""
`;
/** What servers answer of accounts, keys and budgets, in several languages, and of what they block. */
const ACCOUNTS = String.raw`
Zhipu without credit                                | 429 | credentials      | no credit | {"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}
SiliconFlow without credit                          | 403 | credentials      | no credit | {"error":{"code":30001,"message":"Sorry, your account balance is insufficient"}}
Alibaba without credit                              | 400 | credentials      | no credit | {"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}}
a proxy whose budget is spent                       | 429 | credentials      | no credit | {"error":{"type":"budget_exceeded","message":"Budget has been exceeded! Current cost: 10.2"}}
an account at its own limit                         | 429 | credentials      | no credit | {"error":{"message":"You have reached your specified API usage limits. You will regain access on 2026-12-01."}}
a key at its own limit                              | 429 | credentials      | no credit | {"error":{"message":"Key limit exceeded (monthly limit)"}}
a key that has expired                              | 400 | credentials      | expired | {"error":{"message":"API key expired. Please renew the API key."}}
a router whose free requests of the day are used up | 429 | rate_limited     | daily quota | {"error":{"message":"Rate limit exceeded: free-models-per-day."}}
Alibaba with a long conversation                    | 400 | context_too_long | Range of input length | {"error":{"message":"Range of input length should be [1, 129024]"}}
Moonshot with a long conversation                   | 400 | context_too_long | 131072 | {"error":{"message":"Your request exceeded model token limit: 131072"}}
DeepSeek with words that it blocks                  | 400 | content_blocked  | blocked | {"error":{"message":"Content Exists Risk"}}
Alibaba with words that it blocks                   | 400 | content_blocked  | blocked | {"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}
`;

/** Error responses and what the gateway makes of them. */
export const REFUSALS = [...tableRows(TABLE), ...tableRows(ACCOUNTS)].map(
  ([server = "", status, code = "", says = "", json = ""]) => {
    const body = parseJson(json);
    return {
      server,
      status: Number(status),
      code,
      says: says.replace("KEY_VARIABLE", TEST_KEY_ENV),
      body: typeof body === "object" && body !== null ? body : String(body),
    };
  },
);
