import { LANES, patientPlaces } from "./lanes.ts";
import type { Lane } from "./line.ts";

/** A piece of work that runs, or may run next. */
export interface Seated {
	readonly lane: Lane;
	readonly network: string;
	readonly app: string;
	readonly bytes: number;
	readonly cpuMs: number;
}

interface Room {
	/** How many run at once. */
	readonly places: number;
	/** What all that runs at once may take of memory. */
	readonly bytes: number;
}

/** Cheap work always finds this much memory: dear work may be as large as it likes, and takes long. */
const CHEAP_BYTES = 64 * 1_024 ** 2;

/** What runs, and what may run beside it. */
export class Seats<W extends Seated> {
	readonly #room: Room;
	readonly #taken = new Set<W>();

	constructor(room: Room) {
		this.#room = room;
	}

	get size(): number {
		return this.#taken.size;
	}

	get areFree(): boolean {
		return this.#taken.size < this.#room.places;
	}

	/** Admitted bytes. */
	get bytes(): number {
		return this.#sum(({ bytes }) => bytes);
	}

	/** Priced milliseconds. */
	get cpuMs(): number {
		return this.#sum(({ cpuMs }) => cpuMs);
	}

	take(work: W): void {
		this.#taken.add(work);
	}

	leave(work: W): void {
		this.#taken.delete(work);
	}

	fits({ lane, bytes }: W): boolean {
		if (this.#taken.size === 0) return true;
		const all = this.bytes;
		if (all + bytes > this.#room.bytes) return false;
		return lane === "cheap" || all - this.#cheapBytes() + bytes <= this.#room.bytes - CHEAP_BYTES;
	}

	/** Whether it may go before one that is due and waits for memory: nothing but cheap work may. */
	mayPass({ lane, bytes }: W, blocked: W): boolean {
		if (lane !== "cheap") return false;
		// Only beside nothing is there room for it, and it is soon done.
		if (blocked.lane === "ingest" && blocked.bytes > this.#room.bytes - CHEAP_BYTES) return false;
		return this.#cheapBytes() + bytes <= CHEAP_BYTES;
	}

	/** Whether the lane may have one more place. */
	mayHave(lane: Lane): boolean {
		return !LANES[lane].patient || this.#patient() < patientPlaces(this.#room.places);
	}

	/** Whether the lane may have a place out of turn. What is patient gets one, and never the only one. */
	mayHaveOutOfTurn(lane: Lane): boolean {
		return !LANES[lane].patient || (this.#room.places > 1 && this.#patient() === 0);
	}

	/** Who has less than half of the places now. */
	modest(): May {
		const half = Math.max(1, Math.floor(this.#room.places / 2));
		const networks = new Map<string, number>();
		const apps = new Map<string, number>();
		for (const { network, app } of this.#taken) {
			networks.set(network, (networks.get(network) ?? 0) + 1);
			apps.set(app, (apps.get(app) ?? 0) + 1);
		}
		return (network, app) => (networks.get(network) ?? 0) < half && (apps.get(app) ?? 0) < half;
	}

	#patient(): number {
		return this.#sum(({ lane }) => (LANES[lane].patient ? 1 : 0));
	}

	#cheapBytes(): number {
		return this.#sum(({ lane, bytes }) => (lane === "cheap" ? bytes : 0));
	}

	#sum(of: (work: W) => number): number {
		return this.#taken.values().reduce((total, work) => total + of(work), 0);
	}
}

/** Who can be served. */
export type May = (network: string, app: string) => boolean;

export function anyone(): boolean {
	return true;
}
