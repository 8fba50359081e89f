/**
 * Where a tool's arguments have names that its API got replacements for. Only these places are renamed: the keys of free
 * data are left as they are.
 */
export interface ArgumentNames {
  /** By the API's name, the tool's own name and what is inside. */
  readonly properties: ReadonlyMap<
    string,
    { readonly name: string; readonly inside: ArgumentNames | undefined }
  >;
  /** Inside of properties that the schema does not name. */
  readonly others: ArgumentNames | undefined;
  /** Inside of the first elements of an array. */
  readonly first: readonly (ArgumentNames | undefined)[];
  /** Inside of its other elements. */
  readonly elements: ArgumentNames | undefined;
}

/** Joins the names of alternatives; undefined if nothing is renamed. */
export function joinNames(parts: readonly (ArgumentNames | undefined)[]): ArgumentNames | undefined {
  return parts.reduce((all, part) => {
    if (all === undefined || part === undefined) return all ?? part;
    const properties = new Map(all.properties);
    for (const [name, { name: own, inside }] of part.properties) {
      properties.set(name, { name: own, inside: joinNames([properties.get(name)?.inside, inside]) });
    }
    const length = Math.max(all.first.length, part.first.length);
    return {
      properties,
      others: joinNames([all.others, part.others]),
      first: Array.from({ length }, (_, index) =>
        joinNames([all.first[index] ?? all.elements, part.first[index] ?? part.elements]),
      ),
      elements: joinNames([all.elements, part.elements]),
    };
  }, undefined);
}

/** The same places, with the names the other way round. */
export function invertNames(names: ArgumentNames | undefined): ArgumentNames | undefined {
  if (names === undefined) return undefined;
  return {
    properties: new Map(
      [...names.properties].map(([name, { name: own, inside }]) => [
        own,
        { name, inside: invertNames(inside) },
      ]),
    ),
    others: invertNames(names.others),
    first: names.first.map(invertNames),
    elements: invertNames(names.elements),
  };
}
