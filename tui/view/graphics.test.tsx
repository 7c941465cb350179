import { expect, test } from "bun:test";
import process from "node:process";
import { play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { render } from "ink";
import { remove } from "../preview/layer.ts";
import type { State } from "../state/model.ts";
import { wantedPreview } from "../state/preview.ts";
import { ScreenStream } from "../terminal/streams.ts";
import { Graphics } from "./graphics.tsx";

const drawing = { kind: "png", png: new Uint8Array([1, 2, 3]), columns: 3, rows: 2 } as const;
const SHOWN = `\u001b[4;69H\u001b_Ga=T,f=100,t=d,i=${process.pid},p=1,c=3,r=2,C=1,z=-1,q=2,m=0;AQID\u001b\\`;
const around = (text: string) => `\u001b7${text}\u001b8`;

function withPicture(columns = 120): State {
	const state = queueOf([sampleItem("img_1")], { columns, pictures: "graphics" });
	return play(state, { type: "preview", key: wantedPreview(state)?.key ?? "", drawing }).state;
}

test("a picture of the terminal's own is sent once, and stays until it goes; a cleared screen gets it again [preview.layer.pixels]", async () => {
	let sent = "";
	const stdout = new ScreenStream(
		() => ({ columns: 120, rows: 30 }),
		(text) => {
			sent += text.includes("\u001b_G") ? text : "";
		},
	) as unknown as NodeJS.WriteStream;
	const state = withPicture();
	const screen = render(<Graphics state={state} />, { stdout, interactive: true, patchConsole: false });
	const after = async (next: State): Promise<string> => {
		sent = "";
		screen.rerender(<Graphics state={next} />);
		await screen.waitUntilRenderFlush();
		return sent;
	};
	await screen.waitUntilRenderFlush();
	expect(sent).toBe(around(SHOWN));
	expect(await after({ ...state, nowMs: state.nowMs + 5_000 })).toBe("");
	expect(await after({ ...state, rows: 31 })).toBe(remove(process.pid) + around(SHOWN));
	expect(await after(queueOf([]))).toBe(remove(process.pid));
	await after(state);
	sent = "";
	screen.unmount();
	expect(sent).toBe(remove(process.pid));
});
