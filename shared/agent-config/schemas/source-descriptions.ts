/** The keys of `system.webhooks.sources`, for `KEY_DESCRIPTIONS`. */
export const SOURCE_DESCRIPTIONS = {
  sources: "Further sources, by presets or JSON pointers (docs/alerts-and-notifications.md).",
  "sources.name": "Names the source in its address, /api/v1/webhooks/<name>; by default the preset's.",
  preset: "What is known of the system that sends; the entry's own keys go before it.",
  verify: "How a request proves that it is the source's.",
  "verify.type":
    "token: a secret in a header; hmac: a signature of the body; sns: a signature of Amazon SNS.",
  "verify.secret_env": "The environment variable with the token, or with the key of the signature.",
  "verify.header": "The header with the token or the signature; of a token by default Authorization.",
  "verify.prefix": "What is before each signature, such as sha256=.",
  "verify.encoding": "hex or base64: how the signature is written; hex by default.",
  "verify.timestamp_header":
    "The header with the time in Unix seconds, which is signed, too; at most 5 minutes away.",
  "verify.signed": "What is signed; {body} by default, with timestamp_header {timestamp}:{body}.",
  "verify.topics": "The ARNs of the topics at Amazon SNS.",
  format: "json, or alertmanager for bodies like those of Alertmanager; json by default.",
  "sources.split":
    "The JSON pointer to an array of which each entry is an alert; in its place, other pointers and the alert have the entry.",
  incident: "JSON pointers with spaces between; the first that is there is the id of the incident.",
  event: "JSON pointers to what is different each time that an incident begins; without them it begins once.",
  "sources.resolved": "How an alert says that its incident is over.",
  pointer: "The JSON pointer to the alert's state.",
  in: "The values there that mean so.",
  start_when: "Matchers of labels; only an alert that all match starts a session.",
  labels:
    "Labels beside the texts at the top of the alert: JSON pointers, of which the first that is there counts, or constants.",
  tags: "The JSON pointer to tags, which are labels, too.",
  "sources.alert_type": "The alert type where no rule matches; by default that of defaults.",
  "sources.alert_types": "Alert types by labels; the first rule of which all matchers match decides.",
  "sources.priority": "The priority where no rule matches; by default that of the chain.",
} as const;
