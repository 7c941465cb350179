import { connect } from "node:net";

/** What came back on one connection. */
export interface Heard {
	/** One character for each byte. */
	readonly text: string;
	/** Of each answer in turn, as far as they can be told apart. */
	readonly statuses: readonly number[];
	/** Whether the server ended the connection by itself. */
	readonly ended: boolean;
}

interface Patience {
	/** Answers after which we leave. */
	readonly answers: number;
	/** Silence after which we leave. */
	readonly quietMs: number;
}

/** Writes all pieces, with a breath between them, and listens; never rejects, for a refusal may come as a reset. */
export function exchange(port: number, pieces: readonly Uint8Array[], { answers, quietMs }: Patience): Promise<Heard> {
	return new Promise((resolve) => {
		const socket = connect({ port, host: "127.0.0.1" });
		let text = "";
		let ended = false;
		const statuses = () => [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
		const leave = () => socket.destroy();
		let timer = setTimeout(leave, quietMs * 20);
		socket.on("data", (chunk) => {
			text += chunk.toString("latin1");
			clearTimeout(timer);
			timer = setTimeout(leave, quietMs);
			if (statuses().length >= answers) leave();
		});
		socket.on("end", () => {
			ended = true;
		});
		socket.on("error", () => {
			ended = true;
		});
		socket.on("close", () => {
			clearTimeout(timer);
			resolve({ text, statuses: statuses(), ended });
		});
		socket.on("connect", () => void write());

		async function write(): Promise<void> {
			for (const piece of pieces) {
				if (socket.destroyed) return;
				socket.write(piece);
				if (pieces.length > 1) await Bun.sleep(1);
			}
			clearTimeout(timer);
			timer = setTimeout(leave, quietMs);
		}
	});
}
