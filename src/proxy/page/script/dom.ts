/** What builds and fills elements. No markup is ever parsed, so no text can become one. */
export interface Dom {
  /** The element with an id. */
  readonly get: (id: string) => HTMLElement;
  /** A new element: its class, and what it holds. */
  readonly make: (name: string, className?: string, ...inside: readonly (Node | string)[]) => HTMLElement;
  /** A new shape of a picture. */
  readonly shape: (name: string, attributes: Readonly<Record<string, string | number>>) => SVGElement;
  /** A picture of 1000 × 100 that takes the size of its place; the charts beside it say in words what it shows. */
  readonly picture: (...shapes: readonly SVGElement[]) => SVGElement;
  /** Sets a text, only if it differs, so that a screen reader hears of changes alone. */
  readonly say: (id: string, text: string) => void;
}

/** This function runs in the page: it uses nothing from outside. */
export function createDom(): Dom {
  const SVG = 'http://www.w3.org/2000/svg';
  const get = (id: string): HTMLElement => {
    const found = document.getElementById(id);
    if (!found) throw new Error(`There is no #${id}.`);
    return found;
  };
  const shape: Dom['shape'] = (name, attributes) => {
    const made = document.createElementNS(SVG, name) as SVGElement;
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
    return made;
  };
  return {
    get,
    shape,
    make: (name, className = '', ...inside) => {
      const made = document.createElement(name);
      if (className) made.className = className;
      made.append(...inside);
      return made;
    },
    picture: (...shapes) => {
      const made = shape('svg', { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
      made.append(...shapes);
      return made;
    },
    say: (id, text) => {
      const place = get(id);
      if (place.textContent !== text) place.textContent = text;
    },
  };
}
