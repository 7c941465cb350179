import Image from "next/image";
import { connection } from "next/server";
import { labels, svc } from "../svc.js";
import { remove } from "./actions.js";
import { UploadForm } from "./upload-form.jsx";

export default async function Page() {
	// The gallery is made anew for each visitor, not once at the build.
	await connection();
	const { data } = await svc.images.list({ labels, limit: 24 });
	return (
		<main>
			<h1>Pictures</h1>
			<UploadForm />
			<ul className="pictures">
				{data.map((image) => (
					<li key={image.id}>
						<Image
							src={image.url}
							width={image.width}
							height={image.height}
							alt={image.caption}
							sizes="(min-width: 40em) 20rem, 100vw"
						/>
						<div>
							{image.caption}
							<form action={remove.bind(null, image.id)}>
								<button type="submit" aria-label={`Delete ${image.caption}`}>
									Delete
								</button>
							</form>
						</div>
					</li>
				))}
			</ul>
		</main>
	);
}
