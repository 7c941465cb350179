/*
 * Whether a history of calls that ran side by side is one that could have been made by one call after the other, each at a moment between
 * its beginning and its answer (Herlihy and Wing; searched as by Wing and Gong, with what was tried remembered, as by Lowe).
 */

export interface Operation<Input, Output> {
	readonly input: Input;
	/** Undefined: nobody knows whether it happened. It may have, at any time since, or never. */
	readonly output: Output | undefined;
	readonly calledMs: number;
	readonly answeredMs: number;
}

export interface Model<State, Input, Output> {
	readonly initial: State;
	/** The state after an operation; undefined where that answer cannot be. Without an output every answer can. */
	step(state: State, input: Input, output: Output | undefined): State | undefined;
}

/** True where the history has an order in which every answer is right. States are compared by their JSON. */
export function isLinearizable<State, Input, Output>(
	{ initial, step }: Model<State, Input, Output>,
	history: readonly Operation<Input, Output>[],
): boolean {
	const ends = history.map(({ output, answeredMs }) => (output === undefined ? Number.POSITIVE_INFINITY : answeredMs));
	const tried = new Set<string>();

	function search(left: readonly number[], state: State): boolean {
		if (left.every((at) => history[at]?.output === undefined)) return true;
		const seen = `${left.join()} ${JSON.stringify(state)}`;
		if (tried.has(seen)) return false;
		tried.add(seen);
		// What began after another had been answered cannot come before it.
		const firstEnd = Math.min(...left.map((at) => ends[at] as number));
		return left.some((at) => {
			const { input, output, calledMs } = history[at] as Operation<Input, Output>;
			if (calledMs > firstEnd) return false;
			const next = step(state, input, output);
			return (
				next !== undefined &&
				search(
					left.filter((other) => other !== at),
					next,
				)
			);
		});
	}

	return search([...history.keys()], initial);
}

/** Runs a call and notes when it began and ended, and what was answered. */
export async function noted<Input, Output>(
	history: Operation<Input, Output>[],
	input: Input,
	call: () => Promise<Output | undefined>,
): Promise<void> {
	const calledMs = performance.now();
	const output = await call();
	history.push({ input, output, calledMs, answeredMs: performance.now() });
}
