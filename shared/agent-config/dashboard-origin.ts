/** The origin of `system.dashboard_url`; undefined without one, and for a text that is no web address. */
export function dashboardOrigin({
  dashboard_url,
}: {
  readonly dashboard_url?: string | undefined;
}): string | undefined {
  const url = dashboard_url === undefined ? null : URL.parse(dashboard_url);
  return url !== null && /^https?:$/u.test(url.protocol) ? url.origin : undefined;
}
