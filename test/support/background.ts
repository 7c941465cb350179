import type { OpenService } from "./service.ts";

/** Once its placeholder is made in the background, nothing but a request reads an original, or writes about it. */
export async function placeholdersMade({ database }: Pick<OpenService, "database">): Promise<void> {
	const missing = async () =>
		(
			await database.rows(
				`SELECT count(*) FROM images WHERE
					(SELECT count(*) FROM image_facts AS facts WHERE facts.blob_key = images.blob_key AND kind IN ('thumbhash', 'colour', 'colours', 'taken')) < 4`,
				[],
			)
		)[0]?.[0];
	while ((await missing()) !== 0) await Bun.sleep(5);
}
