import sharp from "sharp";

/**
 * The only way to sharp in this process: the settings below belong to the process, not to a call, so they are made once, before
 * anyone can use it.
 */

// One thread per picture: the queue in front already fills the cores, and more threads only cost memory.
sharp.concurrency(1);

// Every rendition is asked for once and then cached on disk; libvips' own cache would only hold pixels nobody asks for again.
sharp.cache(false);

// libvips chooses a loader by looking at the bytes, so a file that lies about itself could reach any of about twenty parsers.
// All are closed, then those of the accepted formats opened: a loader that a later libvips brings along stays closed.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
	operation: [
		"VipsForeignLoadJpeg",
		"VipsForeignLoadPng",
		"VipsForeignLoadWebp",
		"VipsForeignLoadNsgif",
		"VipsForeignLoadHeif",
	],
});

export { sharp };
