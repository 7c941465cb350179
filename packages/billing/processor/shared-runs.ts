interface Turn<T> {
	readonly running: Promise<T>;
	next: Promise<T> | undefined;
}

/**
 * Work that many ask for at once, by name: one run at a time. Whoever asks while it runs shares the run that follows, since what is
 * running may have looked before the thing happened that they ask about.
 */
export function sharedRuns<T>(): (name: string, work: () => Promise<T>) => Promise<T> {
	const turns = new Map<string, Turn<T>>();

	function start(name: string, work: () => Promise<T>): Promise<T> {
		const turn: Turn<T> = {
			running: work().finally(() => {
				if (!turn.next) turns.delete(name);
			}),
			next: undefined,
		};
		turns.set(name, turn);
		return turn.running;
	}

	return (name, work) => {
		const turn = turns.get(name);
		if (!turn) return start(name, work);
		turn.next ??= turn.running.then(
			() => start(name, work),
			() => start(name, work),
		);
		return turn.next;
	};
}
