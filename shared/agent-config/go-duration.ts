/** A duration of `ms` milliseconds as programs in Go write it, such as `15m0s`, `1.5s` or `500ms`. */
export function goDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1_000) return `${ms}ms`;
  const seconds = `${(ms % 60_000) / 1_000}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`;
}
