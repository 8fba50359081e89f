import type { MaskedText } from "#shared/masking/mask-text.ts";
import type { MaskedValue } from "#shared/masking/mask-context.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";

/** The data with which the worker is started. */
export interface MaskWorkerData {
  /** One counter, raised while the worker gets on. */
  readonly progress: Int32Array<SharedArrayBuffer>;
}

/** A text for the worker. */
export interface MaskJob {
  readonly id: number;
  readonly text: string;
  readonly rules: MaskingRules;
  readonly key: string | undefined;
  readonly seen: readonly MaskedValue[];
  readonly seams: readonly number[];
  /** The forms of the secrets that the process knows; absent: as in the job before. */
  readonly known?: readonly string[];
}

/** The worker's answer to a job. */
export type MaskJobResult =
  | { readonly id: number; readonly masked: MaskedText }
  | { readonly id: number; readonly error: string };
