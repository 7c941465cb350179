/* The page: it has no key, and sends each picture straight to the service. */

import { uploadWithTicket } from "/sdk/uploads/ticket-upload.js";

const drop = document.querySelector("#drop");
const choose = document.querySelector("#choose");
const list = document.querySelector("#list");

async function upload(file) {
	const line = document.createElement("p");
	const progress = document.createElement("progress");
	line.append(`${file.name} `, progress);
	list.append(line);
	try {
		const { url } = await (await fetch("/tickets", { method: "POST" })).json();
		const image = await uploadWithTicket(url, file, {
			onProgress({ sentBytes, totalBytes }) {
				progress.max = totalBytes;
				progress.value = sentBytes;
			},
		});
		const picture = document.createElement("img");
		picture.src = `${image.url}?w=640`;
		picture.alt = file.name;
		line.replaceChildren(picture);
	} catch (error) {
		line.textContent = `${file.name}: ${error.details?.file?.join(", ") ?? error.message}`;
	}
}

function uploadAll(files) {
	for (const file of files) void upload(file);
}

choose.addEventListener("change", () => uploadAll(choose.files));
for (const name of ["dragenter", "dragover"]) {
	drop.addEventListener(name, (event) => {
		event.preventDefault();
		drop.classList.add("over");
	});
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
	event.preventDefault();
	drop.classList.remove("over");
	uploadAll(event.dataTransfer.files);
});
