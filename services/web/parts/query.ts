/** The address with some values of its query changed; undefined and the empty text remove one. */
export function withQuery(url: string, changes: Readonly<Record<string, string | undefined>>): string {
  const [path = "", query = ""] = url.split("?");
  const values = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") values.delete(name);
    else values.set(name, value);
  }
  return values.size === 0 ? path : `${path}?${values.toString()}`;
}
