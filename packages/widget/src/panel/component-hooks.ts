import { Component, type ComponentChildren, type ComponentClass, Fragment, options } from 'preact';
import type * as preact from 'preact/hooks';

// The hooks of Preact that the panel needs. Its own are three times the size, mostly for hooks that the panel does not use.

type Draw = (props: object) => ComponentChildren;

/** What one call of a hook keeps from one drawing to the next. */
interface Cell {
  value?: unknown;
  dependencies?: readonly unknown[];
  /** To be run when the component has been drawn. */
  effect?: (() => unknown) | undefined;
  cleanUp?: unknown;
}

abstract class HookedComponent extends Component {
  cells: Cell[] = [];

  override componentDidMount(): void {
    for (const cell of this.cells) {
      const { effect } = cell;
      if (!effect) continue;
      cell.effect = undefined;
      cleanUp(cell);
      cell.cleanUp = effect();
    }
  }

  override componentDidUpdate(): void {
    this.componentDidMount();
  }

  override componentWillUnmount(): void {
    this.cells.forEach(cleanUp);
  }
}

function cleanUp({ cleanUp: run }: Cell): void {
  if (typeof run === 'function') run();
}

const classes = new Map<unknown, ComponentClass>();
let drawn: HookedComponent;
let position: number;

/** Turns every function component into one with cells. */
options.vnode = (node) => {
  const { type } = node;
  // Preact passes nodes that are drawn again, too.
  if (typeof type !== 'function' || type === Fragment || type.prototype?.render) return;
  const known = classes.get(type) ?? createClass(type as Draw);
  classes.set(type, known);
  node.type = known;
};

function createClass(draw: Draw): ComponentClass {
  return class extends HookedComponent {
    override render(): ComponentChildren {
      begin(this);
      return draw(this.props);
    }
  };
}

function begin(component: HookedComponent): void {
  drawn = component;
  position = 0;
}

function nextCell(): Cell {
  const cell = drawn.cells[position] ?? {};
  drawn.cells[position] = cell;
  position += 1;
  return cell;
}

export const useRef: typeof preact.useRef = (initial?: unknown) => {
  const cell = nextCell();
  cell.value ??= { current: initial };
  return cell.value as { current: never };
};

export const useState: typeof preact.useState = (initial?: unknown) => {
  const component = drawn;
  const cell = nextCell();
  const set = (next: unknown) => {
    const [before] = cell.value as [unknown];
    const value = typeof next === 'function' ? next(before) : next;
    if (Object.is(value, before)) return;
    cell.value = [value, set];
    component.setState({});
  };
  cell.value ??= [typeof initial === 'function' ? initial() : initial, set];
  return cell.value as [never, typeof set];
};

/** Runs the effect after drawing and before painting, if one of these has changed. */
export function useLayoutEffect(effect: () => unknown, dependencies: readonly unknown[]): void {
  const cell = nextCell();
  if (cell.dependencies?.every((dependency, index) => Object.is(dependency, dependencies[index]))) return;
  Object.assign(cell, { effect, dependencies });
}
