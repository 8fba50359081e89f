import { brokenRows, type BrokenFile } from "./broken-file.ts";

const SOURCES = String.raw`
a source of alerts with no name                          | name             | is required without a preset       | §{verify: {type: token, secret_env: A}, incident: /id}
a source of alerts with a name that is taken             | name             | 'raw' is taken                     | {name: §raw, preset: zabbix, verify: {secret_env: A}}
a source of alerts with an unknown preset                | preset           | did you mean datadog?              | {preset: §datadogg, verify: {type: token, secret_env: A}, incident: /id, name: a}
a source of alerts with no secret                        | verify           | of the type token needs secret_env | §{preset: zabbix}
a source of alerts with no topics                        | verify           | of the type sns needs topics       | §{preset: cloudwatch}
a source of alerts with a topic that is none             | verify.topics[0] | must be the ARN of a topic         | {preset: cloudwatch, verify: {topics: [§x]}}
a source of alerts with no header of a signature         | verify           | of the type hmac needs header      | {name: a, verify: §{type: hmac, secret_env: A}, incident: /id}
a source of alerts with no type of verification          | verify           | needs a type: token, hmac or sns   | §{name: a, incident: /id}
a source of alerts with no incident                      | incident         | is required without a preset       | §{name: a, verify: {type: token, secret_env: A}}
a source of alerts with an incident that is no pointer   | incident         | must be JSON pointers              | {preset: zabbix, verify: {secret_env: A}, incident: §id}
a source of alerts with a start that is no matcher       | start_when[0]    | must be a matcher                  | {preset: zabbix, verify: {secret_env: A}, start_when: [§a]}
a source of alerts with a signed time without its header | verify           | must have {timestamp} in signed if | {preset: sentry, verify: §{secret_env: A, signed: '{timestamp}{body}'}}
`;

/** Entries of system.webhooks.sources with one mistake each. */
export const BROKEN_SOURCES: readonly BrokenFile[] = brokenRows(
  SOURCES,
  (entry) => ({ tarsy: `system:\n  webhooks:\n    sources: [${entry}]\n` }),
  "system.webhooks.sources[0].",
);
