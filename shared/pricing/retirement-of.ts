import { findOwnModel } from "#shared/pricing/find-listed-price.ts";

/** A provider as a file or a call describes it. */
interface ProviderModel {
  readonly type: string;
  readonly model: string;
  /** An address of the operator's own. */
  readonly base_url?: string | undefined;
}

/** The end of a model. */
export interface Retirement {
  /** The day in UTC from which the provider does not answer with it any more, such as 2026-12-01. */
  readonly day: string;
  /** The model that the provider recommends instead. */
  readonly successor: string | undefined;
}

/** The notice about a model that retires soon or has retired. */
interface RetirementNotice extends Retirement {
  /** Such as `retires on 2026-12-01 (in 5 days)` or `was retired on 2026-06-15`; its subject is the model. */
  readonly says: string;
  /** The time since which it is said. */
  readonly since: Date;
}

const DAY_MS = 86_400_000;
/** Anthropic's notice, the shortest of the large providers for a model that is not a preview. */
const NOTICE_DAYS = 60;

/**
 * When the model of a provider retires, by its name with or without the date of a version. Undefined if no day is listed, if others
 * than its maker serve it (the list has the makers' own days only), and behind an address of the operator's own.
 */
export function retirementOf({ type, model, base_url = "" }: ProviderModel): Retirement | undefined {
  const { retires_at: day, successor } = (base_url === "" ? findOwnModel(type, model) : undefined) ?? {};
  return day === undefined ? undefined : { day, successor };
}

/** The whole days from `now` until a retirement, of which a part counts; 0 or less if the model has retired. */
export function daysLeft({ day }: Pick<Retirement, "day">, now: Date): number {
  return Math.ceil((Date.parse(day) - now.getTime()) / DAY_MS);
}

/** The notice of a provider's model from 60 days before its retirement on; undefined before, and for models without one. */
export function retirementNotice(provider: ProviderModel, now: Date): RetirementNotice | undefined {
  const retirement = retirementOf(provider);
  if (retirement === undefined) return undefined;
  const days = daysLeft(retirement, now);
  if (days > NOTICE_DAYS) return undefined;
  const says =
    days > 0
      ? `retires on ${retirement.day} (in ${days === 1 ? "1 day" : `${days} days`})`
      : `was retired on ${retirement.day}`;
  return { ...retirement, says, since: new Date(Date.parse(retirement.day) - NOTICE_DAYS * DAY_MS) };
}
