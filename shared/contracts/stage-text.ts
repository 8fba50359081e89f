/** The position of a session in its chain. */
interface ChainPlace {
  /** The number of the stage, from 1. */
  readonly index: number;
  /** Number of the chain's stages: neither their syntheses nor the executive summary is one. */
  readonly total: number;
  /** The name of the stage. */
  readonly name: string;
  /** All its stages are completed, and the executive summary is being written. */
  readonly isSummarizing?: boolean;
}

/**
 * The position of a session in its chain, as text for people: events of progress begin with it, and lists have it, so that page, list and
 * terminal give one number of stages.
 */
export function stageText({ index, total, name, isSummarizing = false }: ChainPlace): string {
  return isSummarizing ? "Writing the executive summary" : `Stage ${index} of ${total} (${name})`;
}

/** The part of a text of progress behind the stage; the whole text if it begins otherwise. */
export function withoutStage(text: string, stageName: string): string {
  const marker = ` (${stageName}): `;
  const end = text.indexOf(marker);
  return text.startsWith("Stage ") && end !== -1 ? text.slice(end + marker.length) : text;
}
