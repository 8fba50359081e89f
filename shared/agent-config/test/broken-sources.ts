import type { BrokenFile } from "./broken-file.ts";

/** Entries of system.webhooks.sources with one mistake each. */
export const BROKEN_SOURCES: readonly BrokenFile[] = (
  [
    ["§{verify: {type: token, secret_env: A}, incident: /id}", "name", "is required without a preset"],
    ["{name: §raw, preset: zabbix, verify: {secret_env: A}}", "name", "'raw' is taken"],
    [
      "{preset: §datadogg, verify: {type: token, secret_env: A}, incident: /id, name: a}",
      "preset",
      "did you mean datadog?",
    ],
    ["§{preset: zabbix}", "verify", "of the type token needs secret_env"],
    ["§{preset: cloudwatch}", "verify", "of the type sns needs topics"],
    ["{preset: cloudwatch, verify: {topics: [§x]}}", "verify.topics[0]", "must be the ARN of a topic"],
    [
      "{name: a, verify: §{type: hmac, secret_env: A}, incident: /id}",
      "verify",
      "of the type hmac needs header",
    ],
    ["§{name: a, incident: /id}", "verify", "needs a type: token, hmac or sns"],
    ["§{name: a, verify: {type: token, secret_env: A}}", "incident", "is required without a preset"],
    ["{preset: zabbix, verify: {secret_env: A}, incident: §id}", "incident", "must be JSON pointers"],
    ["{preset: zabbix, verify: {secret_env: A}, start_when: [§a]}", "start_when[0]", "must be a matcher"],
    [
      "{preset: sentry, verify: §{secret_env: A, signed: '{timestamp}{body}'}}",
      "verify",
      "must have {timestamp} in signed if",
    ],
  ] as const
).map(([entry, path, says]) => ({
  name: `a source of alerts: ${entry}`,
  tarsy: `system:\n  webhooks:\n    sources: [${entry}]\n`,
  errors: [[`system.webhooks.sources[0].${path}`, says] as const],
}));
