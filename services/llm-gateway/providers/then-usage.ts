import { TerminalError } from "#shared/errors.ts";
import type { Content } from "./provider.ts";

/**
 * Yields the end of an answer and then its usage; if the end fails, the usage comes before the error, because the provider
 * charges for failed answers too. Only an answer that may be asked for again, because nothing of it was passed on (`isSeen` is false),
 * fails without its usage.
 */
export function* thenUsage(
  end: Iterable<Content>,
  usage: () => Iterable<Content>,
  isSeen: boolean,
): Generator<Content> {
  try {
    yield* end;
  } catch (error) {
    if (isSeen || error instanceof TerminalError) yield* usage();
    throw error;
  }
  yield* usage();
}
