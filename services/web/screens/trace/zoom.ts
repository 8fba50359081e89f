import type { TimeSpan } from "./time-scale.ts";

/** No less than this is shown, in milliseconds. */
const MIN_ZOOM_MS = 5;

const WRITTEN = /^(?<start>\d{1,12})-(?<end>\d{1,12})$/u;

/** The part of the time that an address names, in milliseconds since the start: `1200-3400`. */
export function zoomOf(text: string | undefined): TimeSpan | undefined {
  const { start, end } = WRITTEN.exec(text ?? "")?.groups ?? {};
  const zoom = { start: Number(start), end: Number(end) };
  return zoom.end - zoom.start >= MIN_ZOOM_MS ? zoom : undefined;
}

/** A part of the time as an address has it; undefined for all of it. */
export function zoomText({ start, end }: TimeSpan, total: number): string | undefined {
  const from = Math.max(0, Math.min(Math.round(start), Math.floor(total) - MIN_ZOOM_MS));
  const to = Math.min(Math.ceil(total), Math.max(Math.round(end), from + MIN_ZOOM_MS));
  return from <= 0 && to >= total ? undefined : `${from}-${to}`;
}

/** A part with the same middle, `factor` times as long. */
export function scaledZoom({ start, end }: TimeSpan, factor: number): TimeSpan {
  const [middle, half] = [(start + end) / 2, ((end - start) * factor) / 2];
  return { start: middle - half, end: middle + half };
}

/** A part of the same length, moved by a share of it, within the whole time. */
export function movedZoom({ start, end }: TimeSpan, share: number, total: number): TimeSpan {
  const length = end - start;
  const from = Math.max(0, Math.min(start + length * share, total - length));
  return { start: from, end: from + length };
}
