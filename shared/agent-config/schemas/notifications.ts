import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { Name, VariableName } from "#shared/agent-config/schemas/schema-parts.ts";
import { NotificationKind } from "#shared/contracts/notification-kinds.ts";

/** Each receiver has a loop and connections of its own. */
const MAX_WEBHOOKS = 20;

/** Other systems that are told. */
export const Notifications = Type.Object({
  webhooks: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({
          pattern: "^[a-z0-9][a-z0-9_-]{0,62}$",
          rule: "must be at most 63 small letters, digits, - and _",
        }),
        url: Name,
        secret_env: VariableName,
        events: Type.Optional(Type.Array(NotificationKind, { minItems: 1 })),
      }),
      { maxItems: MAX_WEBHOOKS },
    ),
  ),
});
export type Notifications = Static<typeof Notifications>;
