import type { Image } from "@svc/sdk/shapes";
import type { ServerProcess } from "../support/process.ts";

/* Clients of a service that is killed under their hands, and what they believe afterwards. */

/** How often a client asks again while another request holds the key. */
const PATIENCE = 20;

/** One image as its client believes it to be. */
export interface Belief {
	readonly key: string;
	readonly body: Buffer<ArrayBuffer>;
	/** Set by the first 201; every later one must say the same. */
	id: string | undefined;
	/** The last acknowledged caption, and one that was sent since without an answer. */
	caption: string;
	pendingCaption: string | undefined;
	/** Where leases outlive a process, "creating" may last for longer than anybody waits here. */
	state: "creating" | "kept" | "deleting" | "deleted";
}

export class Client {
	readonly beliefs: Belief[] = [];
	readonly contradictions: string[] = [];
	readonly #server: () => ServerProcess;
	readonly #apiKey: string;
	readonly #pictures: readonly Buffer<ArrayBuffer>[];
	#stopped = false;

	constructor(server: () => ServerProcess, apiKey: string, pictures: readonly Buffer<ArrayBuffer>[]) {
		this.#server = server;
		this.#apiKey = apiKey;
		this.#pictures = pictures;
	}

	stop(): void {
		this.#stopped = true;
	}

	async run(): Promise<void> {
		while (!this.#stopped) {
			const belief = this.#next();
			await this.#create(belief);
			if (belief.state === "creating") continue;
			if (Math.random() < 0.4) await this.#patch(belief);
			if (Math.random() < 0.2) await this.#create(belief);
			if (Math.random() < 0.3) await this.#delete(belief);
		}
	}

	#next(): Belief {
		const body = this.#pictures[Math.floor(Math.random() * this.#pictures.length)] ?? Buffer.alloc(0);
		const belief: Belief = {
			key: crypto.randomUUID(),
			body,
			id: undefined,
			caption: "",
			pendingCaption: undefined,
			state: "creating",
		};
		this.beliefs.push(belief);
		return belief;
	}

	/** Sends until there is an answer that settles the matter; the server may die and come back in between. */
	async #send(path: string, init: () => RequestInit): Promise<Response> {
		let waited = 0;
		for (;;) {
			try {
				const { headers, ...rest } = init();
				const response = await fetch(`${this.#server().baseUrl}${path}`, {
					...rest,
					headers: { Authorization: `Bearer ${this.#apiKey}`, ...(headers as Record<string, string>) },
					signal: AbortSignal.timeout(10_000),
				});
				const text = await response.text();
				const waits = text.includes("idempotency_key_in_progress");
				if (response.status < 500 && !(waits && ++waited < PATIENCE)) return new Response(text, response);
			} catch {
				// Killed under our hands: try again when it is back.
			}
			await Bun.sleep(15 + Math.random() * 30);
		}
	}

	async #create(belief: Belief): Promise<void> {
		const response = await this.#send("/v1/images", () => createOf(belief));
		if (response.status === 409 && belief.state === "creating") return;
		if (response.status !== 201) {
			this.contradictions.push(`a create was answered ${response.status}: ${await response.text()}`);
			return;
		}
		const { id } = (await response.json()) as Image;
		if (belief.id !== undefined && belief.id !== id) this.contradictions.push(`one key made ${belief.id} and ${id}`);
		belief.id = id;
		belief.state = "kept";
	}

	async #patch(belief: Belief): Promise<void> {
		const caption = crypto.randomUUID();
		belief.pendingCaption = caption;
		const body = JSON.stringify({ caption });
		const response = await this.#send(`/v1/images/${belief.id}`, () => ({
			method: "PATCH",
			body,
			headers: { "Content-Type": "application/json" },
		}));
		if (response.status !== 200) this.contradictions.push(`a patch was answered ${response.status}`);
		belief.caption = caption;
		belief.pendingCaption = undefined;
	}

	async #delete(belief: Belief): Promise<void> {
		belief.state = "deleting";
		const response = await this.#send(`/v1/images/${belief.id}`, () => ({ method: "DELETE" }));
		// 404: an earlier try of this very delete was carried out, and its answer lost.
		if (response.status !== 200 && response.status !== 404)
			this.contradictions.push(`a delete was answered ${response.status}`);
		belief.state = "deleted";
	}
}

/** The same request however often it is sent. */
export function createOf({ body, key }: Belief): RequestInit {
	const form = new FormData();
	form.append("file", new Blob([body]), "a.png");
	return { method: "POST", body: form, headers: { "Idempotency-Key": key } };
}
