#!/usr/bin/env node
import { launch } from './checkout.mjs';

launch('src/cli/main.ts', process.argv.slice(2));
