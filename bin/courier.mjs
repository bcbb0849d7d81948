#!/usr/bin/env node
import { launch } from './launch.mjs';

const args = process.argv.slice(2);
// A crawl by itself remembers next to nothing, so V8 may have little: its memory stays the same for ten thousand pages
// and for ten million, at about a tenth of its speed.
const [command] = args.filter((arg, at) => !arg.startsWith('-') && args[at - 1] !== '--config');
const flags = command === 'crawl' ? ['--max-semi-space-size=4', '--max-old-space-size=96'] : [];
launch('src/cli/main', args, flags);
