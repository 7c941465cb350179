import { Rounds } from "../pace/rounds.ts";
import { nextTurn, takeTurn } from "../pace/turns.ts";

/**
 * Of so many bodies pieces are in hand at once. Where more take their turns, each has a piece of up to a megabyte for as long as that takes, and the
 * collector takes what is in use for long for what stays: twenty uploads then need 50 MB more.
 */
const PLACES = 2;

let free = PLACES;
const line = new Rounds<() => void>();

async function takePlace(client: string): Promise<void> {
	if (free > 0) free--;
	else await new Promise<void>((resolve) => line.add(client, resolve));
}

function leavePlace(): void {
	const next = line.next();
	if (next) next();
	else free++;
}

/**
 * The pieces of a body that somebody sends, each when a turn of the event loop has room for it. A client's bodies go on to their ends while nobody else's
 * wait, and otherwise by one piece in turn; who has to be waited for keeps nobody else waiting. What has not been asked for yet waits with the sender,
 * and takes no memory here.
 * @param client whose body it is, as `takeTurn` takes it
 */
export async function* inTurns<Piece>(pieces: AsyncIterable<Piece>, client: string): AsyncGenerator<Piece> {
	const iterator = pieces[Symbol.asyncIterator]();
	let hasPlace = false;
	const leave = () => {
		if (hasPlace) leavePlace();
		hasPlace = false;
	};
	try {
		for (;;) {
			if (line.hasOther(client)) leave();
			if (!hasPlace) await takePlace(client);
			hasPlace = true;
			await takeTurn(client);
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
