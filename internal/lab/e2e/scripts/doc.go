// Package scripts runs the scripts in testdata/pages, one per user story.
package scripts
