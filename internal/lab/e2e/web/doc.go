// Package web tests the pages of 'aura web', in a browser where there is one.
package web
