/** The objects of a text in JSON, or with JSON in it, by their offsets. */
export interface JsonObjects {
  /** The innermost object around an offset; -1 if there is none. */
  readonly around: (offset: number) => number;
  readonly parent: (object: number) => number;
  readonly start: (object: number) => number;
  /** Behind its last bracket. */
  readonly end: (object: number) => number;
}

const [QUOTE, BACKSLASH, LINE_FEED, OPEN, CLOSE] = [34, 92, 10, 123, 125] as const;
/** Further objects of a text are not looked at. */
const MAX_OBJECTS = 1_000_000;
const MAX_DEPTH = 200;

/** Finds the objects by their brackets outside of strings. A string ends with its line, because other text has single quotation marks. */
export function jsonObjects(text: string): JsonObjects {
  const starts: number[] = [];
  const ends: number[] = [];
  const parents: number[] = [];
  const open: number[] = [];
  let isString = false;
  for (let at = 0; at < text.length && starts.length < MAX_OBJECTS; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) isString = false;
    else if (code === QUOTE) isString = !isString;
    else if (isString) {
      if (code === BACKSLASH) at += 1;
    } else if (code === OPEN) {
      parents.push(open.at(-1) ?? -1);
      open.push(starts.length);
      starts.push(at);
      ends.push(-1);
    } else if (code === CLOSE) {
      const closed = open.pop();
      if (closed !== undefined) ends[closed] = at + 1;
    }
  }
  const parent = (object: number) => parents[object] ?? -1;
  const end = (object: number) => ends[object] ?? -1;
  const around = (offset: number) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    let object = low - 1;
    for (let up = 0; object >= 0 && end(object) <= offset; up += 1) {
      if (up === MAX_DEPTH) return -1;
      object = parent(object);
    }
    return object;
  };
  return { around, parent, start: (object) => starts[object] ?? 0, end };
}
