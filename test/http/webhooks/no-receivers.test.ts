import { expect, test } from "bun:test";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

/** How often the database has been read; what shows it reads as well. */
async function readsSoFar(): Promise<number> {
	const metrics = await (await service.open("http://localhost:3000/metrics")).text();
	return Number(/^svc_read_seconds_count (\d+)/m.exec(metrics)?.[1]);
}

test("[C] while no webhook endpoint is enabled nothing is read for one, however much happens", async () => {
	const file = await plain(30, 20);
	for (let count = 0; count < 3; count++) await uploaded(service, file, "a.png");
	await service.lookForWebhooks();
	// What follows an upload reads as well, for a while.
	for (let tries = 0; ; tries++) {
		const [first, second] = [await readsSoFar(), await readsSoFar()];
		for (let looks = 0; looks < 3; looks++) await service.lookForWebhooks();
		const third = await readsSoFar();
		expect(second).toBeGreaterThan(0);
		if (third - second === second - first) break;
		expect(tries).toBeLessThan(100);
	}
});
