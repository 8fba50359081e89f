/**
 * Caches the results of `open` by key; keys are equal if their JSON is. Keeps the `max` values used last. For clients,
 * keyed by credential and address: a rotated key needs no restart, and random addresses do not fill the memory.
 */
export function lruCached<K, V>(max: number, open: (key: K) => V): (key: K) => V {
  const values = new Map<string, V>();
  return (key) => {
    const text = JSON.stringify(key);
    const value = values.get(text) ?? open(key);
    values.delete(text);
    values.set(text, value);
    const [oldest] = values.keys();
    if (values.size > max && oldest !== undefined) values.delete(oldest);
    return value;
  };
}
