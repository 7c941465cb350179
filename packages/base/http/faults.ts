import { Failure } from "../failure.ts";
import { FAULTS_MAX } from "./envelope.ts";

/** The faults of a request while it is judged: those that its answer names, and the number of the others. A caller may send very many. */
export class Faults {
	/** As entries: assigning a fault to the name "__proto__" of an object would lose it. */
	readonly #named: [string, readonly string[]][] = [];
	#more = 0;

	get some(): boolean {
		return this.#named.length > 0;
	}

	/** @param place the part of the request that the name is in, as `items[3]`; the name may be empty where it is the part itself */
	add(name: string, messages: readonly string[], place = ""): void {
		if (this.#named.length >= FAULTS_MAX) this.#more += messages.length;
		else this.#named.push([[place, name].filter((one) => one !== "").join("."), messages]);
	}

	failure(): Failure {
		return new Failure("validation_error", Object.fromEntries(this.#named), { moreFaults: this.#more });
	}
}
