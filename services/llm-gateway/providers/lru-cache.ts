/**
 * Makes `open` answer equal keys with the same value, for as long as it is among the `max` used last: a client is
 * opened once per credential and address, a rotated key needs no restart, and random addresses do not fill the memory.
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
