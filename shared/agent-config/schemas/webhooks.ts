import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Grouping, SourceGrouping } from "#shared/agent-config/schemas/grouping.ts";
import { SESSION_LANES } from "#shared/contracts/subjects.ts";
import { Name, VariableName } from "#shared/agent-config/schemas/schema-parts.ts";

/** The first rule of which all matchers match decides; without one, `alert_type` of the source, else the default. */
const ALERT_TYPE_KEYS = {
  alert_type: Type.Optional(Name),
  alert_types: Type.Optional(
    Type.Array(Type.Object({ match: Type.Array(Name, { minItems: 1 }), alert_type: Name })),
  ),
};

/** The rules are those of alert types; without a rule that matches, `priority` of the source, else that of the chain. */
const PRIORITY_KEYS = {
  priority: Type.Optional(Type.Enum(SESSION_LANES)),
  priorities: Type.Optional(
    Type.Array(Type.Object({ match: Type.Array(Name, { minItems: 1 }), priority: Type.Enum(SESSION_LANES) })),
  ),
};
const SOURCE_KEYS = { ...ALERT_TYPE_KEYS, ...PRIORITY_KEYS };

/** The sources of alerts; a source that is not named here is off. */
export const Webhooks = Type.Object({
  alertmanager: Type.Optional(
    Type.Object({
      token_env: Type.Optional(VariableName),
      split: Type.Optional(Type.Boolean()),
      grouping: Type.Optional(SourceGrouping),
      ...SOURCE_KEYS,
    }),
  ),
  pagerduty: Type.Optional(
    Type.Object({
      secret_env: VariableName,
      grouping: Type.Optional(SourceGrouping),
      ...SOURCE_KEYS,
    }),
  ),
  raw: Type.Optional(
    Type.Object({
      token_env: Type.Optional(VariableName),
      grouping: Type.Optional(Grouping),
      ...SOURCE_KEYS,
    }),
  ),
});
export type Webhooks = Static<typeof Webhooks>;

/** The keys that every source may set. */
export type WebhookSource = Pick<
  NonNullable<Webhooks["raw"]>,
  "alert_type" | "alert_types" | "priority" | "priorities"
>;
