import { createHmac } from "node:crypto";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { secretEquals } from "#shared/access/secret-equals.ts";
import type { Labels } from "#shared/agent-config/label-matcher.ts";
import { parserOf } from "./body-parser.ts";

/** A version 3 webhook of PagerDuty; the other members are for the model. */
export const PagerDutyRequest = Type.Object(
  {
    event: Type.Object(
      {
        id: Type.String({ minLength: 1, maxLength: 200 }),
        event_type: Type.String({ minLength: 1, maxLength: 200 }),
        data: Type.Object({}, { additionalProperties: true }),
      },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: true },
);
export type PagerDutyRequest = Static<typeof PagerDutyRequest>;

/** Reads a decoded body. Throws RequestError 400 naming the field. */
export const parsePagerDuty = parserOf(PagerDutyRequest);

const MAX_SIGNATURES = 10;

/** True if one of the signatures of `X-PagerDuty-Signature` is that of the body: there are several while a secret is replaced. */
export function isSigned(body: Buffer, header: string | string[] | undefined, secret: string): boolean {
  const expected = `v1=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return String(header ?? "")
    .split(",", MAX_SIGNATURES)
    .some((signature) => secretEquals(signature.trim(), expected));
}

/** What the matchers of alert types see of an event. */
export function labelsOf({ event }: PagerDutyRequest): Labels {
  const { data } = event;
  return {
    event_type: event.event_type,
    title: text(data, "title"),
    urgency: text(data, "urgency"),
    service: text(member(data, "service"), "summary"),
    service_id: text(member(data, "service"), "id"),
    priority: text(member(data, "priority"), "summary"),
  };
}

/** The id of the incident; empty without one. */
export function incidentOf({ event }: PagerDutyRequest): string {
  return text(event.data, "id");
}

function member(container: object, name: string): object {
  const value: unknown = Object.getOwnPropertyDescriptor(container, name)?.value;
  return typeof value === "object" && value !== null ? value : {};
}

function text(container: object, name: string): string {
  const value: unknown = Object.getOwnPropertyDescriptor(container, name)?.value;
  return typeof value === "string" ? value : "";
}
