import { markup, type Markup } from "#shared/markup.ts";

const COLOURS = 8;

/** The class of a variant's colour. */
export function colourOf(index: number): string {
  return `s${index % COLOURS}`;
}

/** A variant's mark around a point: its shape tells it apart where colours do not. */
export function mark(index: number, x: number, y: number, size: number, kind: "dot" | "mean"): Markup {
  const classes = `${kind} ${colourOf(index)}`;
  const at = (value: number) => value.toFixed(1);
  switch (index % 4) {
    case 0:
      return markup`<circle class="${classes}" cx="${at(x)}" cy="${at(y)}" r="${at(size)}" />`;
    case 1:
      return markup`<rect
        class="${classes}"
        x="${at(x - size)}"
        y="${at(y - size)}"
        width="${at(2 * size)}"
        height="${at(2 * size)}"
      />`;
    case 2: {
      const points = [
        [x, y - size * 1.2],
        [x + size * 1.1, y + size * 0.9],
        [x - size * 1.1, y + size * 0.9],
      ];
      return polygon(classes, points);
    }
    default: {
      const far = size * 1.3;
      return polygon(classes, [
        [x, y - far],
        [x + far, y],
        [x, y + far],
        [x - far, y],
      ]);
    }
  }
}

function polygon(classes: string, points: readonly (readonly number[])[]): Markup {
  const text = points.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" ");
  return markup`<polygon class="${classes}" points="${text}" />`;
}
