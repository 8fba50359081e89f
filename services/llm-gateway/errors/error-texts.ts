/** The words by which servers say that the conversation exceeds the model's context. */
const TOO_LONG = [
  "context_length_exceeded",
  "exceed_context_size",
  "too_many_prompt_tokens",
  "prompt (?:is )?too (?:long|large)",
  "(?:messages|input|conversation) (?:is|are) too long",
  "too many (?:input )?tokens",
  "maximum prompt length",
  "context length",
  "context (?:the )?overflows",
  "context (?:window|limit|size)",
  "token count.*exceeds",
  "input tokens exceed",
  "reduce the length of (?:the|your) (?:messages|prompt|input)",
  String.raw`too large for model with \d+ maximum`,
  "tokens.{0,40} must be (?:<=|less than)",
  "more than max(?:imum)? tokens allowed",
  // Words of Alibaba, Moonshot and Zhipu.
  "range of input length should be",
  "exceeded model token limit",
  "exceed max message tokens",
  "超长",
];
/** "billing" alone is not one of them: Gemini mentions it in every 429. */
const UNPAID = [
  "insufficient[_ ](?:quota|balance|credits)",
  "credit balance",
  "(?:prepayment|available|included|more) credits",
  "balance (?:is )?(?:insufficient|not enough)",
  "余额不足",
  "欠费",
  String.raw`\bArrearage\b`,
  "free allocated quota exceeded",
  // Limits that the owner of an account or a key has set.
  String.raw`\bbudget_exceeded|ExceededBudget|budget has been exceeded`,
  "spend(?:ing)? limit",
  "specified API usage limits",
  String.raw`key limit exceeded \((?:total|monthly|weekly)`,
  String.raw`billing_\w+`,
  // Gemini's, of a model that the account's plan does not include.
  String.raw`quota exceeded for metric[^\n]{0,200}\blimit: 0\b`,
];
/** Refusals of a key; some servers answer 400, 429 or 500 instead of 401. */
const BAD_KEY = [
  "(?:incorrect|invalid|wrong|missing|no) (?:api[ _-]?(?:key|token)|x-api-key|subscription key)",
  "api[ _-]?key (?:is )?(?:not valid|invalid|missing|required)",
  "api[ _-]?key (?:has |is )?(?:expired|disabled|revoked)",
  "organization has been disabled",
  "invalid_api_key",
  "authentication fail",
];
/** Refusals of a model that the server does not have, also with a status of another meaning. */
const NO_MODEL = [
  String.raw`\bmodel_(?:not_found|decommissioned|deprecated)\b`,
  String.raw`\binvalid_model\b`,
  "model not (?:found|exist)",
];
/** Occur in types and codes. */
const BLOCKED = [
  "content_filter",
  "content_policy",
  "invalid_prompt",
  "safety_check",
  "moderation",
  "data_?inspection_?failed",
];
/** Occur in texts of Azure, xAI, DeepSeek and Zhipu. */
const BLOCKED_TEXT = [
  "content management policy",
  "ResponsibleAIPolicyViolation",
  "SAFETY_CHECK",
  "content exists risk",
  "不安全或敏感内容",
];
/** The words of servers and of the proxies before them of an address that they do not serve. */
const NO_ROUTE = [
  "page not found",
  String.raw`^\W*not found\W*$`,
  String.raw`^(?:404 status code \(no body\)|the provider answered with status 404)$`,
  String.raw`"detail":\s?"not found"`,
  "cannot (?:post|get) /",
  "(?:route|endpoint|resource|file|url|path).{0,40} (?:was )?not found",
  "no (?:such )?(?:route|endpoint)",
  "unexpected endpoint",
  "unknown (?:request )?(?:url|endpoint|path)",
  "invalid url",
  "method not allowed",
];
/** llama.cpp, Ollama, Hugging Face and others, while a model's weights are read. */
const LOADING = [String.raw`\bloading\b.{0,40}\bmodel\b`, String.raw`\bmodel\b.{0,200}\bloading\b`];

const matcher = (patterns: readonly string[]) => new RegExp(patterns.join("|"), "iu");

/** The meaning of the text, type or code of an error, in the words of many servers. */
export const ERROR_TEXTS = {
  tooLong: matcher(TOO_LONG),
  /** The account has no credit; a retry does not help then, whatever the status. */
  unpaid: matcher(UNPAID),
  badKey: matcher(BAD_KEY),
  noModel: matcher(NO_MODEL),
  /** Counts in types and codes only. */
  blocked: matcher(BLOCKED),
  blockedText: matcher(BLOCKED_TEXT),
  noRoute: matcher(NO_ROUTE),
  loading: matcher(LOADING),
} as const;
