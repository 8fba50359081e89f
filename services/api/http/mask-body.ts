import { errorMessage } from "#shared/errors.ts";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import { RULES_OF_NAMES, rulesOfAlerts } from "#shared/masking/masking-rules.ts";
import { readSessionMasking } from "#shared/masking/read-session-masking.ts";
import { ROUTE_TEXTS } from "#shared/masking/text-doors.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { ApiDeps } from "../api-deps.ts";
import { RequestError, validationError } from "./request-error.ts";

type MaskDeps = Pick<ApiDeps, "config" | "db" | "log" | "masker">;

/** Masks what a person wrote: `texts` are its members by dotted paths. Rejects with RequestError 400 and database errors. */
type MaskBody = <T extends object>(sessionId: string | null, request: T) => Promise<T>;

/**
 * Returns what masks the texts of a route's body, which `ROUTE_TEXTS` lists: with the key of the session that they are about, also what
 * was masked in it before. It resolves with a copy that may be stored and shown to models. A text whose masking fails is replaced by a
 * notice; where there is no session, the request is refused with 503. A name that masking would change is refused with 400.
 */
export function maskBody(deps: MaskDeps, route: keyof typeof ROUTE_TEXTS): MaskBody {
  const members = Object.entries(ROUTE_TEXTS[route]).map(([path, origin]) => ({
    path,
    isName: origin === "name",
    isText: origin === "person",
  }));
  const maskText = textMask(deps);
  return async (sessionId, request) => {
    const copy = structuredClone(request);
    for (const { path, isName, isText } of members) {
      const keys = path.split(".");
      const last = keys.pop() ?? "";
      const holder = keys.reduce<unknown>(memberOf, copy);
      const text = memberOf(holder, last);
      if (typeof holder !== "object" || holder === null || typeof text !== "string" || text === "") continue;
      if (isText) Reflect.set(holder, last, await maskText(text, sessionId, last));
      if (isName && (await maskOrWithhold(deps.masker, text, RULES_OF_NAMES)) !== text) {
        throw validationError(path, "must be a name: what was given looks like a secret");
      }
    }
    return copy;
  };
}

function memberOf(holder: unknown, key: string): unknown {
  return typeof holder === "object" && holder !== null ? Reflect.get(holder, key) : undefined;
}

/** Returns what masks one text, as for the alerts that people write; `what` names it in notices. */
export function textMask({ config, db, log, masker }: MaskDeps) {
  const rules = rulesOfAlerts(config.agents.defaults.alert_masking);
  return async (text: string, sessionId: string | null, what: string): Promise<string> => {
    const session = sessionId === null ? {} : await readSessionMasking(db, sessionId);
    try {
      return postgresSafeText((await masker.mask(text, { rules, ...session })).text).text;
    } catch (error) {
      log.error({ session_id: sessionId, what, error: errorMessage(error) }, "text withheld");
      if (sessionId !== null) return `[The ${what} is withheld: masking the secrets in it failed.]`;
      throw new RequestError(503, `masking the secrets in '${what}' failed: nothing was changed`);
    }
  };
}
