import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { parserOf } from "./body-parser.ts";

const Labels = Type.Record(Type.String(), Type.String());

const Alert = Type.Object(
  {
    status: Type.Union([Type.Literal("firing"), Type.Literal("resolved")]),
    labels: Labels,
    annotations: Type.Optional(Labels),
    startsAt: Type.String({ minLength: 1, maxLength: 100 }),
    fingerprint: Type.Optional(Type.String({ maxLength: 100 })),
  },
  { additionalProperties: true },
);
export type AlertmanagerAlert = Static<typeof Alert>;

/** What Alertmanager sends to a webhook (version 4); the other members are for the model. */
export const AlertmanagerRequest = Type.Object(
  {
    version: Type.Optional(Type.String()),
    groupKey: Type.String({ minLength: 1, maxLength: 100_000 }),
    receiver: Type.Optional(Type.String()),
    commonLabels: Type.Optional(Labels),
    alerts: Type.Array(Alert, { minItems: 1, maxItems: 100_000 }),
  },
  { additionalProperties: true },
);
export type AlertmanagerRequest = Static<typeof AlertmanagerRequest>;

/** Reads a decoded body. Throws RequestError 400 naming the field. */
export const parseAlertmanager = parserOf(AlertmanagerRequest);
