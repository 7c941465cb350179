import { nextTurn, shareTurn } from "./turns.ts";

/**
 * Of so many bodies pieces are in hand at once. Where more take their turns, each has a piece of up to a megabyte for as long as that takes, and the
 * collector takes what is in use for long for what stays: twenty uploads then need 50 MB more.
 */
const PLACES = 2;

let free = PLACES;
const line: (() => void)[] = [];

async function takePlace(): Promise<void> {
	if (free > 0) free--;
	else await new Promise<void>((resolve) => line.push(resolve));
}

function leavePlace(): void {
	const next = line.shift();
	if (next) next();
	else free++;
}

/**
 * The pieces of a body that somebody sends, each when a turn of the event loop has room for it. Whose pieces are there goes on to its end; who has to be
 * waited for keeps nobody else waiting. What has not been asked for yet waits with the sender, and takes no memory here.
 */
export async function* inTurns<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
	const iterator = pieces[Symbol.asyncIterator]();
	let hasPlace = false;
	const leave = () => {
		if (hasPlace) leavePlace();
		hasPlace = false;
	};
	try {
		for (;;) {
			if (!hasPlace) await takePlace();
			hasPlace = true;
			await shareTurn();
			const reading = iterator.next();
			if (!(await isSoon(reading))) leave();
			const { done, value } = await reading;
			if (done) return;
			yield value;
		}
	} finally {
		leave();
		await iterator.return?.();
	}
}

/** Whether it is over before the event loop has looked at its sockets again. */
async function isSoon(work: Promise<unknown>): Promise<boolean> {
	let isOver = false;
	const end = () => {
		isOver = true;
	};
	await Promise.race([work.then(end, end), nextTurn()]);
	return isOver;
}
